import * as z from 'zod';
import type { DescribedSchema } from './described.ts';
import { type JsonObject, jsonOf, schemaPath } from './json.ts';
import { activitySchemas } from './schemas/activity-schemas.ts';
import { addressSchemas } from './schemas/address-schemas.ts';
import { bulkReplaySchemas } from './schemas/bulk-replay-schemas.ts';
import { credentialSchemas } from './schemas/credential-schemas.ts';
import { deliverySchemas } from './schemas/delivery-schemas.ts';
import { enumSchemas } from './schemas/enum-schemas.ts';
import { event, eventBodies, eventSchemas } from './schemas/event-schemas.ts';
import { problemSchemas, runProblem } from './schemas/problem-schemas.ts';
import { resultSchemas } from './schemas/result-schemas.ts';
import { webhookSchemas } from './schemas/webhook-schemas.ts';
import { webhookStatsSchemas } from './schemas/webhook-stats-schemas.ts';

/** Every object of the document by its name. Generated clients name their types after these. */
export const objectSchemas: Readonly<Record<string, DescribedSchema>> = {
  ...credentialSchemas,
  ...addressSchemas,
  ...webhookSchemas,
  ...deliverySchemas,
  ...webhookStatsSchemas,
  ...bulkReplaySchemas,
  ...activitySchemas,
  ...resultSchemas,
  ...eventSchemas,
  ...problemSchemas,
};

const objectNames: ReadonlyMap<z.core.$ZodType, string> = new Map<z.core.$ZodType, string>([
  ...Object.entries(objectSchemas).map(([name, { schema }]) => [schema, name] as const),
  [runProblem, 'Problem'],
  [event, 'Event'],
]);

const valuesKey = (values: readonly unknown[]): string => JSON.stringify(values.toSorted());

const enumNames: ReadonlyMap<string, string> = new Map(
  Object.entries(enumSchemas).map(([name, [, values]]) => [valuesKey(values), name]),
);

/** Objects have a name by their identity, enums by their values; other schemas stay inline. */
export function nameOf(schema: z.core.$ZodType): string | undefined {
  return schema instanceof z.core.$ZodEnum
    ? enumNames.get(valuesKey(Object.values(schema._zod.def.entries)))
    : objectNames.get(schema);
}

/** Every body is a named schema, so that generated clients have a name for it. */
export function reference(schema: z.core.$ZodType): JsonObject {
  const name = nameOf(schema);
  if (name !== undefined) return { $ref: schemaPath(name) };
  const members = Object.keys(jsonOf(z.toJSONSchema(schema)).properties ?? {});
  throw new Error(`Cannot describe a body without a name: add { ${members.join(', ')} } to site/openapi/schemas`);
}

/**
 * The JSON Schema of a zod schema for the published API. It omits the bounds of safe integers and allows members that
 * later releases add. Named schemas inside become references.
 *
 * @param io `input` for requests, `output` for responses
 */
export function jsonSchemaOf(root: z.core.$ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema, ...generated } = z.toJSONSchema(root, {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      const isNamed = zodSchema !== root && nameOf(zodSchema) !== undefined;
      const noise = Object.entries(jsonSchema).filter((keyword) => isNamed || isNoise(jsonSchema, keyword, io));
      for (const [keyword] of noise) Reflect.deleteProperty(jsonSchema, keyword);
      if (isNamed) Object.assign(jsonSchema, reference(zodSchema));
    },
  });
  return jsonOf(JSON.parse(JSON.stringify(generated), (_name, value) => (isUnbounded(value) ? undefined : value)));
}

function isNoise(
  { format }: z.core.JSONSchema.BaseSchema,
  [keyword, value]: readonly [string, unknown],
  io: 'input' | 'output',
) {
  // A generated client would demand a member with a default.
  if (keyword === 'default') return true;
  // Responses can gain members. A request has this keyword only if other members are refused.
  if (keyword === 'additionalProperties' && value === false) return io === 'output';
  return keyword === 'pattern' && format === 'date-time';
}

const isUnbounded = (value: unknown) => typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER;

/** The `components.schemas` of the document, sorted by name. */
export function componentSchemas(): JsonObject {
  const schemas: readonly (readonly [string, JsonObject])[] = [
    ...Object.entries(objectSchemas).map(([name, each]) => [name, objectSchema(name, each)] as const),
    ...Object.entries(enumSchemas).map(
      ([name, [description, values]]) => [name, { type: 'string', description, enum: values }] as const,
    ),
    ['Event', eventSchema()],
  ];
  return Object.fromEntries(schemas.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Only requests have defaults; in a response, every such property would be required. */
function objectSchema(name: string, { schema, description, properties }: DescribedSchema): JsonObject {
  const { properties: generated, ...rest } = jsonSchemaOf(schema, name.endsWith('Request') ? 'input' : 'output');
  const texts = Object.entries(jsonOf(generated)).map(([property, value]) => [
    property,
    { ...jsonOf(value), ...properties[property] },
  ]);
  return { description, ...rest, properties: Object.fromEntries(texts) };
}

function eventSchema(): JsonObject {
  const references = Object.entries(eventBodies).map(([type, body]) => [type, reference(body)] as const);
  return {
    description: 'The body of a delivery. Branch on `type`, and acknowledge types that you do not know.',
    oneOf: references.map(([, reference]) => reference),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(references.map(([type, { $ref = '' }]) => [type, $ref])),
    },
  };
}

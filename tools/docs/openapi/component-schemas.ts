import { type Json, type JsonObject, schemaPath, toJsonSchema } from './json-schema.ts';
import { type DescribedSchema, textKeywords } from './property-texts.ts';
import { enumSchemas } from './schemas/enum-schemas.ts';
import { eventBodies } from './schemas/event-schemas.ts';
import { nameOf, objectSchemas } from './schemas/named-schemas.ts';

/** The `components.schemas` of the document, sorted by name. */
export function componentSchemas(): JsonObject {
  const schemas: readonly (readonly [string, JsonObject])[] = [
    ...Object.entries(objectSchemas).map(([name, each]) => [name, objectSchema(name, each)] as const),
    ...Object.entries(enumSchemas).map(
      ([name, { description, values }]) => [name, { type: 'string', description, enum: values }] as const,
    ),
    ['Event', eventSchema()],
  ];
  return Object.fromEntries(schemas.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Only requests have defaults; in a response, every such property would be required. */
function objectSchema(name: string, { schema, description, properties }: DescribedSchema): JsonObject {
  const { properties: generated, ...rest } = toJsonSchema(
    schema,
    name.endsWith('Request') ? 'input' : 'output',
    nameOf,
  );
  const texts = Object.entries(members(generated)).map(([property, value]) => {
    const text = properties[property];
    return [property, text === undefined ? value : { ...members(value), ...textKeywords(text) }];
  });
  return { description, ...rest, properties: Object.fromEntries(texts) };
}

function eventSchema(): JsonObject {
  const mapping = Object.fromEntries(
    Object.entries(eventBodies).map(([type, schema]) => [type, schemaPath(nameOf(schema) ?? '')]),
  );
  return {
    description: 'The body of a delivery. Branch on `type`, and acknowledge types that you do not know.',
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: 'type', mapping },
  };
}

function members(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !isList(value) ? value : {};
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

import * as z from 'zod';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };
export type JsonObject = { readonly [member: string]: Json };

const jsonValue: z.ZodType<Json> = z.lazy(() =>
  z.union([
    z.null(),
    z.boolean(),
    z.number(),
    z.string(),
    z.array(jsonValue),
    z.record(z.string(), jsonValue),
  ]),
);
const jsonObject = z.record(z.string(), jsonValue);

/** The name of a component schema; `undefined` for a schema that stays inline. */
export type NameOf = (schema: z.core.$ZodType) => string | undefined;

/**
 * The JSON Schema of a zod schema for the published API. It omits the bounds of safe integers and allows members that
 * later releases add. Named schemas inside become references.
 *
 * @param io `input` for requests, `output` for responses
 */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', nameOf: NameOf): JsonObject {
  const root: z.core.$ZodType = schema;
  const generated = z.toJSONSchema(schema, {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      const name = root === zodSchema ? undefined : nameOf(zodSchema);
      if (name === undefined) return;
      for (const keyword of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, keyword);
      jsonSchema.$ref = schemaPath(name);
    },
  });
  return jsonObject.parse(tidy(jsonValue.parse(generated)));
}

/** @throws Error when the value is not a JSON object */
export function jsonOf(value: unknown): JsonObject {
  return jsonObject.parse(value);
}

export function parseJson(text: string): JsonObject {
  return jsonOf(JSON.parse(text));
}

export function schemaPath(name: string): string {
  return `#/components/schemas/${name}`;
}

function tidy(value: Json): Json {
  if (isList(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name, member]) => !isNoise(value, name, member));
  return Object.fromEntries(kept.map(([name, member]) => [name, tidy(member)]));
}

function isNoise(schema: JsonObject, name: string, value: Json): boolean {
  // A generated client would demand a member with a default.
  if (name === '$schema' || name === 'default' || (name === 'additionalProperties' && value === false))
    return true;
  if (name === 'minimum' || name === 'maximum') return Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
  return name === 'pattern' && schema.format === 'date-time';
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

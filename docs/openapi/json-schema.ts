import * as z from 'zod';

type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };
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

/**
 * The JSON Schema of a zod schema for the published API. It omits the bounds of safe integers and allows members that
 * later releases add.
 *
 * @param io `input` for requests, `output` for responses
 */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  return jsonObject.parse(tidy(jsonValue.parse(z.toJSONSchema(schema, { io }))));
}

function tidy(value: Json): Json {
  if (isList(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name, member]) => !isNoise(value, name, member));
  return Object.fromEntries(kept.map(([name, member]) => [name, tidy(member)]));
}

function isNoise(schema: JsonObject, name: string, value: Json): boolean {
  if (name === '$schema' || (name === 'additionalProperties' && value === false)) return true;
  if (name === 'minimum' || name === 'maximum') return Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
  return name === 'pattern' && schema.format === 'date-time';
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

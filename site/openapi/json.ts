import * as z from 'zod';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };
export type JsonObject = { readonly [member: string]: Json };

const jsonObject = z.record(z.string(), z.json());

/** @throws Error when the value is not a JSON object */
export function jsonOf(value: unknown): JsonObject {
  return jsonObject.parse(value);
}

export function schemaPath(name: string): string {
  return `#/components/schemas/${name}`;
}

import type * as z from 'zod';
import { type IdKind, idPrefixes } from '#shared/domain/ids.ts';
import type { JsonObject } from './json-schema.ts';

/** What the document says about a property beyond its type: a description, or keywords with one. */
export type PropertyText = string | (JsonObject & { readonly description: string });

/** A schema with a name in the document, and a text for each of its properties. */
export type DescribedSchema = {
  readonly schema: z.ZodType;
  readonly description: string;
  readonly properties: Readonly<Record<string, PropertyText>>;
};

/** The compiler demands a text for each property of the schema. */
export function described<S extends z.core.$ZodShape>(
  schema: z.ZodObject<S, z.core.$ZodObjectConfig>,
  description: string,
  properties: { readonly [P in keyof S]: PropertyText },
): DescribedSchema {
  return { schema, description, properties: Object.fromEntries(Object.entries(properties)) };
}

export const time = (description: string) => ({ description, format: 'date-time' });
export const count = (description: string) => ({ description, minimum: 0 });
export const link = (description: string) => ({ description, format: 'uri' });
export const id = (kind: IdKind, description: string) => ({ description, pattern: `^${idPrefixes[kind]}` });

export function textKeywords(text: PropertyText): JsonObject {
  return typeof text === 'string' ? { description: text } : text;
}

import * as z from 'zod';
import { limits } from '#shared/contract/limits.ts';
import { type IdKind, idPrefixes } from '#shared/domain/ids.ts';
import type { JsonObject } from './json.ts';

/** What the document says about a property beyond its type: a description, or keywords with one. */
export type PropertyText = string | (JsonObject & { readonly description: string });

/** A schema with a name in the document, and a text for each of its properties. */
export type DescribedSchema = {
  readonly schema: z.core.$ZodType;
  readonly description: string;
  /** Keywords that join the generated ones. */
  readonly properties: Readonly<Record<string, JsonObject>>;
};

/** The compiler demands a text for each property of the schema. */
export function described<S extends z.core.$ZodShape>(
  schema: z.core.$ZodObject<S>,
  description: string,
  properties: { readonly [P in keyof S]: PropertyText },
): DescribedSchema {
  const keywords = Object.entries<PropertyText>(properties).map(
    ([name, text]) => [name, typeof text === 'string' ? { description: text } : text] as const,
  );
  return { schema, description, properties: Object.fromEntries(keywords) };
}

export const time = (description: string) => ({ description, format: 'date-time' });
export const count = (description: string) => ({ description, minimum: 0 });
export const link = (description: string) => ({ description, format: 'uri' });
export const id = (kind: IdKind, description: string) => ({ description, pattern: `^${idPrefixes[kind]}` });

/**
 * A page of records.
 *
 * @param records what the items are, in the plural
 */
export function listOf(record: z.core.$ZodType, records: string): DescribedSchema {
  const list = z.object({ items: z.array(record), next_cursor: z.string().nullable() });
  return described(list, `One page of ${records}, newest first.`, {
    items: {
      description: `The ${records} of this page. A page can be short or empty and still have a next page.`,
      maxItems: limits.pageSizeMax,
    },
    next_cursor: {
      description: 'Send it as `cursor` to read the next page. `null` on the last page.',
      maxLength: limits.cursorLength,
    },
  });
}

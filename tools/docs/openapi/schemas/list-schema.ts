import * as z from 'zod';
import { limits } from '#shared/contract/limits.ts';
import { type DescribedSchema, described } from '../property-texts.ts';

/** The schema of a page of records. */
export const listOf = <S extends z.ZodType>(record: S) =>
  z.object({ items: z.array(record), next_cursor: z.string().nullable() });

/** @param records what the items are, in the plural */
export function describedList(list: ReturnType<typeof listOf>, records: string): DescribedSchema {
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

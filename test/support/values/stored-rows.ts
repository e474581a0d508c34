import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Table } from '#shared/aws/clients.ts';

/**
 * Rows as other releases write them, and malformed ones: `test/fixtures/stored-rows/<kind>.json`. `shown` holds members
 * that an answer must show, or is `null` when the row cannot be read. Values that must not show are called `secret`.
 */
const storedRows = z.array(
  z.strictObject({
    says: z.string(),
    row: z.looseObject({ pk: z.string(), sk: z.string() }),
    shown: z.looseObject({ id: z.string() }).nullable(),
    listens: z.boolean().optional(),
  }),
);

export type FixtureRow = z.infer<typeof storedRows>[number];

export function rowsOf(kind: string): readonly FixtureRow[] {
  const path = new URL(`../../fixtures/stored-rows/${kind}.json`, import.meta.url);
  return storedRows.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** Stores rows as they are, without a codec. */
export async function putRows(table: Table, rows: readonly FixtureRow[]): Promise<void> {
  await Promise.all(rows.map(({ row }) => table.client.put({ TableName: table.name, Item: row })));
}

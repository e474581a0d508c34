import { readFileSync } from 'node:fs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { Table } from '#shared/aws/clients.ts';

/**
 * Rows as other releases write them, and as nobody should: `test/fixtures/stored-rows/<kind>.json`. `shown` holds what
 * an answer shows of the row, among others, or is `null` when it cannot be read. What is secret in one is called so.
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

/** Stores rows as they are, past every codec. */
export async function putRows(table: Table, rows: readonly FixtureRow[]): Promise<void> {
  await Promise.all(
    rows.map(({ row }) => table.client.send(new PutCommand({ TableName: table.name, Item: row }))),
  );
}

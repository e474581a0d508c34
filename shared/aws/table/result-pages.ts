import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { tableSchema } from '../../contract/table-schema.ts';
import type { Rows } from '../../operations/paging.ts';
import type { Table } from '../clients.ts';
import type { Backoff } from './backoff.ts';
import { getAll } from './batches.ts';
import type { ItemKey } from './keys.ts';

/**
 * Pages of stored results. A position is the part of the last row's key that says where it stands in its list, so
 * a page costs the same wherever it is, and what is added above never shifts it.
 */
export type PageRequest = { readonly after: string | null; readonly limit: number };

export type StoredRow = Readonly<Record<string, unknown>>;

/** A function may answer six megabytes; a page with more text than this ends before its limit. */
const maxPageBytes = 3_000_000;

const sortedRow = z.looseObject({ sk: z.string() });

/** Rows of one partition whose sort keys begin alike, in falling order; strongly consistent. */
export async function readSorted(
  table: Table,
  { pk, prefix }: { readonly pk: string; readonly prefix: string },
  { after, limit }: PageRequest,
): Promise<Rows<StoredRow>> {
  const { Items = [], LastEvaluatedKey } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
      ...(after === null ? {} : { ExclusiveStartKey: { pk, sk: prefix + after } }),
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: limit + 1,
    }),
  );
  const rows = Items.slice(0, limit).map((item) => sortedRow.parse(item));
  const more = Items.length > limit || LastEvaluatedKey !== undefined;
  return { rows, next: more ? (rows.at(-1)?.sk.slice(prefix.length) ?? null) : null };
}

const { listed } = tableSchema.indexes;

const listedKey = z
  .object({ pk: z.string(), sk: z.string(), [listed.sortKey]: z.string() })
  .transform(({ pk, sk, [listed.sortKey]: position }) => ({ key: { pk, sk }, position }));

type ListedKey = z.infer<typeof listedKey>;

/**
 * Rows of a list that is kept in the index, in falling order. The index may lag behind by a moment, the rows
 * themselves are read strongly consistent; one that has moved since the index saw it is left out here, because it
 * is listed elsewhere.
 */
export async function readListed(
  table: Table,
  backoff: Backoff,
  list: string,
  page: PageRequest,
): Promise<Rows<StoredRow>> {
  const { keys, more } = await readListedKeys(table, list, page);
  const found = await getAll(
    table,
    keys.map(({ key }): ItemKey => key),
    backoff,
  );
  const fitting = countFitting(found);
  const rows = keys
    .slice(0, fitting)
    .flatMap(({ position }, index) => (found[index]?.[listed.sortKey] === position ? [found[index]] : []));
  const next = more || fitting < keys.length ? keys[fitting - 1]?.position : undefined;
  return { rows, next: next ?? null };
}

async function readListedKeys(
  table: Table,
  list: string,
  { after, limit }: PageRequest,
): Promise<{ readonly keys: readonly ListedKey[]; readonly more: boolean }> {
  const here = `${listed.partitionKey} = :list`;
  const { Items = [], LastEvaluatedKey } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: listed.name,
      KeyConditionExpression: after === null ? here : `${here} AND ${listed.sortKey} < :after`,
      ExpressionAttributeValues: { ':list': list, ...(after === null ? {} : { ':after': after }) },
      ScanIndexForward: false,
      Limit: limit + 1,
    }),
  );
  const keys = Items.slice(0, limit).map((item) => listedKey.parse(item));
  return { keys, more: Items.length > limit || LastEvaluatedKey !== undefined };
}

/** How many rows from the first one on make a page that can be answered; at least one. */
function countFitting(rows: readonly (StoredRow | undefined)[]): number {
  let bytes = 0;
  const tooMuch = rows.findIndex((row, index) => {
    bytes += Buffer.byteLength(JSON.stringify(row) ?? '');
    return bytes > maxPageBytes && index > 0;
  });
  return tooMuch === -1 ? rows.length : tooMuch;
}

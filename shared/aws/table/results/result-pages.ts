import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { PageRequest, Rows } from '#shared/operations/paging.ts';
import { getAllCheaply } from '../batches.ts';
import { type ReadRow, readAll } from '../stored-row.ts';

/**
 * Pages of stored results. A position is the part of the last row's key that orders its list, so every page costs the
 * same, and new rows above a position never shift it. Unreadable rows have positions too: a page that skips one is
 * shorter, and the next page starts at the same place.
 */

type StoredRow = Readonly<Record<string, unknown>>;

/** Maximum text of a page in bytes. A response of a function is limited to 6 MB, so a page may end before its limit. */
const maxPageBytes = 3_000_000;

/**
 * Number of rows of a listed page per read. Ten rows are at most 4 MB, so a page of large rows reads little more than
 * it returns.
 */
const rowsAtOnce = 10;

/** Maximum number of reads for one page of a list whose rows are gone. */
const maxReads = 10;

const sortedRow = z.looseObject({ sk: z.string() });

/** Sorts after every text with this prefix that a key holds: the last character of Unicode is in none. */
const endOf = (prefix: string): string => `${prefix}\u{10FFFF}`;

/**
 * Reads rows of one partition by sort key prefix, in descending order; strongly consistent. A page begins below its
 * position, so a partition of any length costs the same. Rows of other kinds end the list.
 */
export async function readSorted<T>(
  table: Table,
  { pk, prefix }: { readonly pk: string; readonly prefix: string },
  { after, limit }: PageRequest,
  read: ReadRow<T>,
): Promise<Rows<T>> {
  const { Items = [], LastEvaluatedKey } = await table.client.query({
    TableName: table.name,
    KeyConditionExpression: 'pk = :pk AND sk < :before',
    ExpressionAttributeValues: { ':pk': pk, ':before': after === null ? endOf(prefix) : prefix + after },
    ScanIndexForward: false,
    ConsistentRead: true,
    Limit: limit + 1,
  });
  const found = Items.map((item) => sortedRow.parse(item)).filter(({ sk }) => sk.startsWith(prefix));
  const rows = found.slice(0, limit);
  const more = found.length > limit || (LastEvaluatedKey !== undefined && found.length === Items.length);
  const last = rows.at(-1) ?? LastEvaluatedKey;
  const next = more && last !== undefined ? positionOf(last, prefix) : null;
  return { rows: readAll(table, rows, read), next };
}

/** `null` for a row of another kind. */
function positionOf(row: unknown, prefix: string): string | null {
  const { sk } = sortedRow.parse(row);
  return sk.startsWith(prefix) ? sk.slice(prefix.length) : null;
}

const { listed } = tableSchema.indexes;

const listedKey = z.pipe(
  z.object({ pk: z.string(), sk: z.string(), [listed.sortKey]: z.string() }),
  z.transform(({ pk, sk, [listed.sortKey]: position }) => ({ pk, sk, position })),
);

type ListedKey = z.infer<typeof listedKey>;

/**
 * Reads rows of a list in the `listed` index, in descending order. The index may lag by a moment, and so may the rows.
 * One that is not found where the index shows it is read again, strongly consistent. If it has moved since the index was
 * updated, it is skipped, because the list also has it at its new position.
 */
export async function readListed<T>(table: Table, list: string, page: PageRequest, read: ReadRow<T>): Promise<Rows<T>> {
  const { rows, next } = await readListedRows(table, list, page);
  return { rows: readAll(table, rows, read), next };
}

/** Reads on past keys whose rows are gone or expired, so that pages are full. */
async function readListedRows(table: Table, list: string, page: PageRequest): Promise<Rows<StoredRow>> {
  const rows: StoredRow[] = [];
  let after = page.after;
  let bytes = 0;
  for (let reads = 1; ; reads += 1) {
    const step = { after, limit: page.limit - rows.length };
    const { keys, more } = await readListedKeys(table, list, step);
    const { found, bytesAfter } = await readFitting(table, keys, bytes);
    bytes = bytesAfter;
    rows.push(...found.flatMap((row, index) => (isAt(row, keys[index]) ? [row] : [])));
    after = keys[found.length - 1]?.position ?? after;
    if (!more && found.length === keys.length) return { rows, next: null };
    const isFull = rows.length === page.limit || found.length < keys.length;
    if (isFull || reads === maxReads || after === null) return { rows, next: after };
  }
}

/** Whether a row is where the index shows it. */
function isAt(row: StoredRow | undefined, key: ListedKey | undefined): row is StoredRow {
  return row !== undefined && row[listed.sortKey] === key?.position;
}

async function readListedKeys(
  table: Table,
  list: string,
  { after, limit }: PageRequest,
): Promise<{ readonly keys: readonly ListedKey[]; readonly more: boolean }> {
  const here = `${listed.partitionKey} = :list`;
  const { Items = [], LastEvaluatedKey } = await table.client.query({
    TableName: table.name,
    IndexName: listed.name,
    KeyConditionExpression: after === null ? here : `${here} AND ${listed.sortKey} < :after`,
    ExpressionAttributeValues: { ':list': list, ...(after === null ? {} : { ':after': after }) },
    ScanIndexForward: false,
    Limit: limit + 1,
  });
  const keys = Items.slice(0, limit).map((item) => listedKey.parse(item));
  return { keys, more: Items.length > limit || LastEvaluatedKey !== undefined };
}

type Fitting = { readonly found: readonly (StoredRow | undefined)[]; readonly bytesAfter: number };

/**
 * The rows of the first keys, as many as fit on a page that has `bytesBefore`, and at least one on an empty page;
 * `undefined` for a key without a row.
 */
async function readFitting(table: Table, keys: readonly ListedKey[], bytesBefore: number): Promise<Fitting> {
  const found: (StoredRow | undefined)[] = [];
  let bytes = bytesBefore;
  for (const step of chunks(keys, rowsAtOnce)) {
    for (const row of await getAllCheaply(table, step, isAt)) {
      const size = Buffer.byteLength(JSON.stringify(row) ?? '');
      if (bytes > 0 && bytes + size > maxPageBytes) return { found, bytesAfter: bytes };
      bytes += size;
      found.push(row);
    }
  }
  return { found, bytesAfter: bytes };
}

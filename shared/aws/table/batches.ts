import type { BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { ItemKey } from './keys.ts';
import { usualPause } from './pause.ts';

/** Maximum number of items in one write request. */
export const writeBatchSize = 25;

const tries = 8;

type Item = Readonly<Record<string, unknown>>;
type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];

/**
 * Writes items, replacing existing ones, and retries those that a busy table left unprocessed.
 *
 * @throws Error when eight tries in a row wrote none
 */
export async function putAll(table: Table, items: readonly (ItemKey & Item)[]): Promise<void> {
  const puts = items.map((Item) => ({ PutRequest: { Item } }));
  await writeAll(table, puts, 'write');
}

/**
 * Deletes items by their keys, and retries those that a busy table left unprocessed. A missing item is no error.
 *
 * @throws Error when eight tries in a row deleted none
 */
export async function deleteAll(
  table: Table,
  keys: readonly { readonly pk: string; readonly sk: string }[],
): Promise<void> {
  const deletions = keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
  await writeAll(table, deletions, 'delete');
}

async function writeAll(table: Table, requests: readonly WriteRequest[], verb: string): Promise<void> {
  for (const batch of chunks(requests, writeBatchSize)) {
    await untilAllProcessed(table, batch, verb, async (rest) => {
      const { UnprocessedItems = {} } = await table.client.batchWrite({
        RequestItems: { [table.name]: [...rest] },
      });
      return UnprocessedItems[table.name] ?? [];
    });
  }
}

/**
 * Reads up to 100 items, strongly consistent unless told otherwise.
 *
 * @returns one item for each key, in order; `undefined` for a key without an item
 * @throws Error when eight tries in a row read none
 */
export async function getAll(
  table: Table,
  keys: readonly { readonly pk: string; readonly sk: string }[],
  isConsistent = true,
): Promise<readonly (Item | undefined)[]> {
  const found = new Map<string, Item>();
  const wanted: readonly Item[] = keys.map(({ pk, sk }) => ({ pk, sk }));
  await untilAllProcessed(table, wanted, 'read', async (rest) => {
    const { Responses = {}, UnprocessedKeys = {} } = await table.client.batchGet({
      RequestItems: { [table.name]: { Keys: [...rest], ConsistentRead: isConsistent } },
    });
    for (const item of Responses[table.name] ?? []) found.set(nameOf(item), item);
    return UnprocessedKeys[table.name]?.Keys ?? [];
  });
  return keys.map((key) => found.get(nameOf(key)));
}

/**
 * The same for half the price. Items may be a second old, but none that is stored is missing: what is not found is read
 * again, strongly consistent.
 *
 * @param isWanted whether an item will do; by default, every item that is found
 */
export async function getAllCheaply<Key extends { readonly pk: string; readonly sk: string }>(
  table: Table,
  keys: readonly Key[],
  isWanted = (item: Item | undefined, _key: Key): boolean => item !== undefined,
): Promise<readonly (Item | undefined)[]> {
  const found = await getAll(table, keys, false);
  const others = keys.filter((key, index) => !isWanted(found[index], key));
  if (others.length === 0) return found;
  const again = await getAll(table, others);
  const later = new Map(others.map((key, index) => [key, again[index]]));
  return keys.map((key, index) => (later.has(key) ? later.get(key) : found[index]));
}

function nameOf({ pk, sk }: { readonly pk?: unknown; readonly sk?: unknown }): string {
  return JSON.stringify([pk, sk]);
}

/**
 * DynamoDB leaves requests out when it is busy, but also when it was asked for more than 1 MB of a partition or 16 MB in
 * all. So only tries in a row that process nothing count.
 *
 * @param work processes requests and returns the unprocessed ones
 */
async function untilAllProcessed<T>(
  table: Table,
  requests: readonly T[],
  verb: string,
  work: (rest: readonly T[]) => Promise<readonly T[]>,
): Promise<void> {
  let rest = requests;
  let failed = 0;
  while (rest.length > 0) {
    const left = await work(rest);
    failed = left.length < rest.length ? 0 : failed + 1;
    rest = left;
    if (failed === tries) throw new Error(`Cannot ${verb} items: a busy table left ${rest.length} unprocessed`);
    if (rest.length > 0) await (table.pause ?? usualPause)(2 ** (failed + 1) * 10);
  }
}

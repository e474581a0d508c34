import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import type { TableScanner } from '#shared/aws/table-scanner.ts';
import { limits } from '#shared/contract/limits.ts';
import { partitions } from '#shared/contract/table-schema.ts';
import { idPrefixes } from '#shared/domain/ids.ts';
import { type RowCounts, sumOf } from '#shared/domain/row-counts.ts';
import type { Clock } from '#shared/operations/ports.ts';
import { deleteAll } from '../batches.ts';
import { meetsConditions } from '../conditional-write.ts';
import {
  apiKeyKey,
  apiKeyListKey,
  connectionKey,
  connectionListKey,
  customerKey,
  customerListKey,
  customerReferenceKey,
  type ItemKey,
  portalLinkKey,
  portalLinkListKey,
  rateWindowKey,
  slotsKey,
} from '../keys.ts';
import { queryAll, rowsBelow } from '../query-pages.ts';
import { type OwnedRow, ownerAttributes, rowOf } from '../row-owner.ts';
import { readListedCustomer } from './customers.ts';

/** Number of parts of the table that are read at the same time. */
const segments = 4;

/** Where a deletion reads and writes. */
export type Erasing = {
  /** Finds rows that have expired too. */
  readonly table: Table;
  readonly scanner: TableScanner;
  readonly now: Clock;
};

/** @param read rows of the table that the pass has read @param removed rows of the customer among them */
export type OnProgress = (read: number, removed: number) => void;

/** Reads the rows of a customer, and gives them to `process` a page at a time. */
export type ReadRows = (
  customerId: string,
  process: (rows: readonly OwnedRow[]) => Promise<void>,
  onProgress: OnProgress,
) => Promise<void>;

const keyRow = z.object({ pk: z.string(), sk: z.string(), hash: z.catch(z.optional(z.string()), undefined) });
type KeyRow = z.infer<typeof keyRow>;

/**
 * Ends what lets work of a customer in or out: the customer itself, so that the intake and new credentials are refused;
 * its slots, so that no endpoint is registered; its keys, portal links and listed connections; and its endpoints, to
 * which nothing is sent from then on. Connections that releases up to 0.2.0 stored are in no list: the first pass revokes
 * them, and until then their tokens can only read. Works again after an interruption.
 *
 * Removes the customer before it reads the credentials: from then on, none can be issued. Takes all slots before it reads
 * the endpoints: from then on, none can be registered, also by a request under way.
 *
 * @returns the removed rows by kind
 */
export function closeCustomer(erasing: Erasing) {
  const { table } = erasing;
  return async (customerId: string): Promise<RowCounts> => {
    const customer = await keysBelow(table, customerKey(customerId));
    await deleteAll(table, customer);
    await takeSlots(table, customerId);
    const keys = await keysBelow(table, apiKeyListKey(customerId, ''));
    const links = await keysBelow(table, portalLinkListKey(customerId, idPrefixes.portalLink));
    const credentials = [...hashesOf(keys).map(apiKeyKey), ...hashesOf(links).map(portalLinkKey)];
    await deleteAll(table, credentials);
    const connections = await keysBelow(table, connectionListKey(customerId, idPrefixes.connection));
    for (const { sk } of connections) await revokeConnection(erasing, customerId, connectionKey(sk));
    const endpoints = (await keysBelow(table, slotsKey(customerId))).filter((row) => !isSlots(row));
    await deleteAll(table, endpoints);
    const removed = customer.length + endpoints.length;
    return removed === 0 ? {} : { customer: removed };
  };
}

/** In the place of endpoints that never existed. Every release refuses a registration without a free slot. */
const noFreeSlot = new Set(Array.from({ length: limits.endpointsPerCustomer }, (_, slot) => `closed${slot}`));

async function takeSlots(table: Table, customerId: string): Promise<void> {
  await table.client.update({
    TableName: table.name,
    Key: slotsKey(customerId),
    UpdateExpression: 'SET webhooks = :none',
    ExpressionAttributeValues: { ':none': noFreeSlot },
  });
}

const isSlots = ({ pk, sk }: KeyRow): boolean => pk.startsWith(partitions.customer) && sk === slotsKey('').sk;

function hashesOf(rows: readonly KeyRow[]): readonly string[] {
  return rows.flatMap(({ hash }) => hash ?? []);
}

async function keysBelow(table: Table, key: ItemKey): Promise<readonly KeyRow[]> {
  const rows = await queryAll(table, {
    ...rowsBelow(key),
    ProjectionExpression: 'pk, sk, #hash',
    ExpressionAttributeNames: { '#hash': 'hash' },
  });
  return rows.map((row) => keyRow.parse(row));
}

/** Removes the rows that a deletion keeps until its end, the one that lists the customer last. */
export function forgetCustomer({ table }: Erasing) {
  return async (customerId: string): Promise<void> => {
    const { reference } = (await readListedCustomer(table, customerId)) ?? {};
    if (reference !== undefined) await removeReference(table, reference, customerId);
    await deleteAll(table, [slotsKey(customerId)]);
    await deleteAll(table, [customerListKey(customerId)]);
  };
}

/** Another deletion of the customer may have ended meanwhile, and another customer may have got the reference. */
async function removeReference({ client, name: TableName }: Table, reference: string, customerId: string) {
  const Delete = {
    TableName,
    Key: customerReferenceKey(reference),
    ConditionExpression: 'customer_id = :customer',
    ExpressionAttributeValues: { ':customer': customerId },
  };
  await meetsConditions(client.transactWrite({ TransactItems: [{ Delete }] }));
}

/** Counts the rows of a customer in the whole table, and changes nothing. */
export function countRows({ scanner }: Erasing) {
  return async (customerId: string, onProgress: OnProgress): Promise<RowCounts> => {
    const counted: OwnedRow[] = [];
    await readTable(scanner)(customerId, async (rows) => void counted.push(...rows), onProgress);
    return countsOf(counted);
  };
}

/**
 * Removes the customer's rows as it finds them. Its slots, its reference and the row that lists the customer stay, and
 * before the last pass also the rows that name its credentials: these name the request counts to remove, so credentials
 * are only revoked before.
 *
 * @param readRows default: reads every part of the table
 * @returns the removed rows by kind, and whether any of them was no such credential
 */
export function erasePass(erasing: Erasing, readRows: ReadRows = readTable(erasing.scanner)) {
  return async (
    customerId: string,
    { isLast, onProgress }: { readonly isLast: boolean; readonly onProgress: OnProgress },
  ) => {
    const { table } = erasing;
    let removed: RowCounts = {};
    let foundContents = false;
    const remove = async (rows: readonly OwnedRow[]) => {
      const credentials = rows.filter(isCredential);
      const contents = rows.filter((row) => !isKeptToTheEnd(row) && !isCredential(row));
      foundContents ||= contents.length > 0;
      await deleteAll(table, contents);
      const gone = isLast ? await removeCredentials(erasing, customerId, credentials) : [];
      for (const row of isLast ? [] : credentials.filter(({ kind }) => kind === 'connection')) {
        await revokeConnection(erasing, customerId, keyOf(row));
      }
      removed = sumOf(removed, countsOf([...contents, ...gone]));
    };
    await readRows(customerId, remove, onProgress);
    return { removed, foundContents };
  };
}

function isKeptToTheEnd(row: OwnedRow): boolean {
  return row.kind === 'customerList' || row.kind === 'customerReference' || isSlots(row);
}

/** Whether a row names a credential of the customer, and with it the requests that were counted for it. */
function isCredential({ kind, sk }: OwnedRow): boolean {
  if (kind === 'portalLink') return sk !== portalLinkKey('').sk;
  if (kind === 'connection') return sk === connectionKey('').sk;
  return kind === 'customer' && sk.startsWith(apiKeyListKey('', '').sk);
}

/** The counted requests first: without the row of their credential, nothing would find them. */
async function removeCredentials(
  { table }: Erasing,
  customerId: string,
  credentials: readonly OwnedRow[],
): Promise<readonly OwnedRow[]> {
  const ids = credentials.flatMap(({ id }) => (id === undefined ? [] : [id]));
  await deleteAll(table, ids.map(rateWindowKey));
  const keys = credentials.filter(({ kind }) => kind !== 'connection');
  await deleteAll(table, keys);
  const gone = [...keys];
  for (const connection of credentials.filter(({ kind }) => kind === 'connection')) {
    const Delete = { TableName: table.name, Key: keyOf(connection), ...isOfCustomer(customerId) };
    if (await meetsConditions(table.client.transactWrite({ TransactItems: [{ Delete }] }))) gone.push(connection);
  }
  return gone;
}

async function revokeConnection({ table, now }: Erasing, customerId: string, Key: ReturnType<typeof keyOf>) {
  const { ConditionExpression, ExpressionAttributeValues } = isOfCustomer(customerId);
  const Update = {
    TableName: table.name,
    Key,
    UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :at)',
    ConditionExpression,
    ExpressionAttributeValues: { ...ExpressionAttributeValues, ':at': now() },
  };
  await meetsConditions(table.client.transactWrite({ TransactItems: [{ Update }] }));
}

/** A connection can have changed to another customer since it was read. */
const isOfCustomer = (customerId: string) => ({
  ConditionExpression: 'organization = :customer',
  ExpressionAttributeValues: { ':customer': customerId },
});

const keyOf = ({ pk, sk }: OwnedRow) => ({ pk, sk });

/** Reads the table in parts. */
function readTable(scanner: TableScanner): ReadRows {
  return async (customerId, process, onProgress) => {
    let read = 0;
    let found = 0;
    const readSegment = async (segment: number) => {
      let start: Awaited<ReturnType<TableScanner['scan']>>['next'] = null;
      do {
        const page = await scanner.scan({
          Segment: segment,
          TotalSegments: segments,
          ProjectionExpression: ownerAttributes.join(', '),
          ...(start === null ? {} : { ExclusiveStartKey: start }),
        });
        const rows = page.rows.flatMap((row) => rowOf(customerId, row) ?? []);
        await process(rows);
        read += page.read;
        found += rows.length;
        onProgress(read, found);
        start = page.next;
      } while (start !== null);
    };
    await Promise.all(Array.from({ length: segments }, (_, segment) => readSegment(segment)));
  };
}

function countsOf(rows: readonly OwnedRow[]): RowCounts {
  const names = rows.map(({ kind }) => kind ?? 'other');
  return Object.fromEntries([...new Set(names)].map((name) => [name, names.filter((other) => other === name).length]));
}

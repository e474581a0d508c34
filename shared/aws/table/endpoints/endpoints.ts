import type { Table } from '#shared/aws/clients.ts';
import type { DeliveryHistory, EncryptedSecret, Endpoint } from '#shared/domain/endpoint.ts';
import type { Listener } from '#shared/domain/fan-out.ts';
import type { OwedNotice } from '#shared/domain/notice.ts';
import { isRefused, updateIf } from '../conditional-write.ts';
import { earlierTombstoneKey, liveEndpointKey, slotsKey, tombstoneKey } from '../keys.ts';
import { type ReadRow, readAll, readRow } from '../stored-row.ts';
import { fromEndpointItem, fromHistoryItem, fromListenerItem, toOwedText } from './endpoint-item.ts';

const clauses = {
  isLive: 'attribute_exists(pk)',
  isActive: '#status = :active',
  isFailed: '#status = :failed',
  hasNoOverlap: '(attribute_not_exists(previous_secret_expires_at) OR previous_secret_expires_at <= :now)',
  /** Also true of an endpoint without a time. */
  isNotedEarlier: 'NOT (last_delivery_at >= :at)',
} as const;

/** What names an endpoint. */
export type EndpointKey = Pick<Endpoint, 'customerId' | 'id'>;

/**
 * Reads a live endpoint; `null` when it was deleted or never existed. Strongly consistent.
 *
 * @param onSent called when a request for it leaves, each time
 */
export async function readLiveEndpoint(
  table: Table,
  customerId: string,
  webhookId: string,
  onSent?: () => void,
): Promise<Endpoint | null> {
  const key = liveEndpointKey(customerId, webhookId);
  const row = await table.groups?.endpoints?.(key, onSent);
  return row ? fromEndpointItem(row) : readRow(table, key, fromEndpointItem, onSent && { onSent });
}

/** Reads an endpoint, deleted or not; strongly consistent. */
export function readEndpoint(table: Table, customerId: string, webhookId: string): Promise<Endpoint | null> {
  return readAnyEndpoint(table, customerId, webhookId, fromEndpointItem);
}

/** Reads the history of an endpoint, deleted or not; strongly consistent. */
export function readDeliveryHistory(
  table: Table,
  customerId: string,
  webhookId: string,
): Promise<DeliveryHistory | null> {
  return readAnyEndpoint(table, customerId, webhookId, fromHistoryItem);
}

async function readAnyEndpoint<T>(
  table: Table,
  customerId: string,
  webhookId: string,
  read: ReadRow<T>,
): Promise<T | null> {
  for (const keyOf of [liveEndpointKey, tombstoneKey, earlierTombstoneKey]) {
    const endpoint = await readRow(table, keyOf(customerId, webhookId), read);
    if (endpoint !== null) return endpoint;
  }
  return null;
}

/** All live endpoints of a customer, newest first; strongly consistent. */
export async function listLiveEndpoints(table: Table, customerId: string): Promise<readonly Endpoint[]> {
  return readAll(table, await queryLive(table, customerId), fromEndpointItem);
}

/** The same, of which only the attributes are read that decide the fan-out of an event. */
export async function listListeners(table: Table, customerId: string): Promise<readonly Listener[]> {
  return readAll(table, await queryLive(table, customerId), fromListenerItem);
}

async function queryLive(table: Table, customerId: string): Promise<readonly unknown[]> {
  const { pk, sk } = slotsKey(customerId);
  const { Items = [] } = await table.client.query({
    TableName: table.name,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :endpoints)',
    ExpressionAttributeValues: { ':pk': pk, ':endpoints': `${sk}#` },
    ScanIndexForward: false,
    ConsistentRead: true,
  });
  return Items;
}

/**
 * Activates an endpoint after its handshake.
 *
 * @param at epoch milliseconds
 * @returns since when it is active, which an earlier try may have made it; `null` when it was deleted in the meantime
 */
export async function activateEndpoint(
  table: Table,
  customerId: string,
  webhookId: string,
  at: number,
): Promise<number | null> {
  const result = await updateIf(table, {
    Key: liveEndpointKey(customerId, webhookId),
    UpdateExpression: 'SET #status = :active, activated_at = :at',
    ConditionExpression: `${clauses.isLive} AND ${clauses.isFailed}`,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':active': 'active', ':failed': 'failed', ':at': at },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (!isRefused(result)) return at;
  return result.item === null ? null : fromEndpointItem(result.item).activatedAt;
}

export type Rotation = {
  readonly customerId: string;
  readonly webhookId: string;
  readonly secret: EncryptedSecret;
  readonly secretPrefix: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** When the previous secret stops being valid; epoch milliseconds. */
  readonly overlapEnd: number;
};

/**
 * Makes the new secret the current one and the current one the previous, if the endpoint is active and no overlap is
 * open. A refusal returns the stored live endpoint; `null` when there is none.
 */
export async function replaceSecret(
  table: Table,
  { customerId, webhookId, secret, secretPrefix, at, overlapEnd }: Rotation,
): Promise<
  | { readonly rotated: true; readonly endpoint: Endpoint }
  | { readonly rotated: false; readonly endpoint: Endpoint | null }
> {
  const result = await updateIf(table, {
    Key: liveEndpointKey(customerId, webhookId),
    UpdateExpression:
      'SET previous_secret = secret, previous_secret_expires_at = :expires_at, secret = :secret, secret_prefix = :prefix',
    ConditionExpression: `${clauses.isLive} AND ${clauses.isActive} AND ${clauses.hasNoOverlap}`,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':active': 'active',
      ':now': at,
      ':expires_at': overlapEnd,
      ':secret': secret,
      ':prefix': secretPrefix,
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (!isRefused(result)) return { rotated: true, endpoint: fromEndpointItem(result.Attributes) };
  const endpoint = result.item === null ? null : fromEndpointItem(result.item);
  // The client retries a write whose response was lost: an endpoint with this secret was rotated by this call.
  if (endpoint !== null && endpoint.secret === secret) return { rotated: true, endpoint };
  return { rotated: false, endpoint };
}

/**
 * Raises the number of partitions, never lowers it.
 *
 * @returns the stored endpoint; `null` when the customer has no live endpoint with this id
 */
export async function raisePartitions(
  table: Table,
  customerId: string,
  webhookId: string,
  partitions: number,
): Promise<Endpoint | null> {
  const result = await updateIf(table, {
    Key: liveEndpointKey(customerId, webhookId),
    UpdateExpression: 'SET delivery_partitions = :partitions',
    ConditionExpression: `${clauses.isLive} AND delivery_partitions < :partitions`,
    ExpressionAttributeValues: { ':partitions': partitions },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (!isRefused(result)) return fromEndpointItem(result.Attributes);
  return result.item === null ? null : fromEndpointItem(result.item);
}

/** Stores when a live endpoint was last attempted (epoch milliseconds), unless a later time is stored. */
export async function noteLastDelivery(table: Table, endpoint: EndpointKey, at: number): Promise<void> {
  await changeLive(table, endpoint, 'SET last_delivery_at = :at', clauses.isNotedEarlier, { ':at': at });
}

/** Changes a live endpoint that meets a condition, and adds a notice of the change. @returns whether it was changed */
export async function changeLive(
  table: Table,
  { customerId, id }: EndpointKey,
  change: string,
  condition: string,
  values: Readonly<Record<string, unknown>>,
  notice?: OwedNotice,
): Promise<boolean> {
  const isOwed = notice !== undefined;
  const result = await updateIf(table, {
    Key: liveEndpointKey(customerId, id),
    UpdateExpression: isOwed ? `${change} ADD owed_notices :owed` : change,
    ConditionExpression: `${clauses.isLive} AND ${condition}`,
    ExpressionAttributeValues: isOwed ? { ...values, ':owed': new Set([toOwedText(notice)]) } : values,
  });
  return !isRefused(result);
}

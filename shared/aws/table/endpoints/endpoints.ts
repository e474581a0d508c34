import type { Table } from '#shared/aws/clients.ts';
import type { DeliveryHistory, EncryptedSecret, Endpoint } from '#shared/domain/endpoint.ts';
import type { Listener } from '#shared/domain/fan-out.ts';
import type { OwedNotice } from '#shared/domain/notice.ts';
import type { ActivateEndpoint } from '#shared/operations/customer/register-webhook.ts';
import type { NoteLastDelivery } from '#shared/operations/delivery/note-last-delivery.ts';
import type { ClearSlow, MarkSlow, NotePace, TakeTurn } from '#shared/operations/delivery/watch-pace.ts';
import type { ReadLiveEndpoint } from '#shared/operations/ports.ts';
import { isRefused, updateIf } from '../conditional-write.ts';
import type { GroupedRead } from '../grouped-reads.ts';
import { earlierTombstoneKey, liveEndpointKey, slotsKey, tombstoneKey } from '../keys.ts';
import { type ReadRow, readAll, readRow } from '../stored-row.ts';
import {
  fromEndpointItem,
  fromHistoryItem,
  fromListenerItem,
  toOwedText,
  toSlowPaceItem,
} from './endpoint-item.ts';

const clauses = {
  isLive: 'attribute_exists(pk)',
  isActive: '#status = :active',
  isFailed: '#status = :failed',
  isNotSlow: 'attribute_not_exists(slow_since)',
  isSlow: 'attribute_exists(slow_since)',
  isFree: 'NOT (slow_turn > :now)',
  hasNoBetterNote:
    'NOT (slow_pace.answering = :yes AND (slow_pace.noted_at > :youngest OR slow_pace.fastest_ms < :fastest))',
  isMarkedThen: 'slow_since = :since',
  hasNoOverlap: '(attribute_not_exists(previous_secret_expires_at) OR previous_secret_expires_at <= :now)',
  /** Also true of an endpoint without a time. */
  isNotedEarlier: 'NOT (last_delivery_at >= :at)',
} as const;

/** @param together reads the endpoints of a batch in one call */
export function readLiveEndpoint(table: Table, together?: GroupedRead): ReadLiveEndpoint {
  return async (customerId, webhookId, onSent) => {
    const key = liveEndpointKey(customerId, webhookId);
    const row = (await together?.(key, onSent)) ?? null;
    if (row !== null) return fromEndpointItem(row);
    return await readRow(table, key, fromEndpointItem, onSent && { onSent });
  };
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

export function activateEndpoint(table: Table): ActivateEndpoint {
  return async (customerId, webhookId, at) => {
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
  };
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

export function noteLastDelivery(table: Table): NoteLastDelivery {
  return async (endpoint, at) => {
    await changeLive(table, endpoint, 'SET last_delivery_at = :at', clauses.isNotedEarlier, { ':at': at });
  };
}

/** A refused write changes nothing: the endpoint was deleted, or another worker marked it first. */
export function markSlow(table: Table): MarkSlow {
  return (endpoint, since) =>
    changeLive(table, endpoint, 'SET slow_since = :since', clauses.isNotSlow, { ':since': since });
}

/** Removes the mark that was read; a newer one stays. */
export function clearSlow(table: Table): ClearSlow {
  return (endpoint) =>
    changeLive(table, endpoint, 'REMOVE slow_since, slow_pace, slow_turn', clauses.isMarkedThen, {
      ':since': endpoint.slowSince,
    });
}

export function notePace(table: Table): NotePace {
  return (endpoint, pace, youngest) => {
    const note = toSlowPaceItem(pace);
    const isBetter = `${clauses.isSlow} AND ${clauses.hasNoBetterNote}`;
    const values = { ':youngest': youngest, ':fastest': note.fastest_ms ?? 0, ':yes': true };
    return changeLive(table, endpoint, 'SET slow_pace = :pace', isBetter, { ':pace': note, ...values });
  };
}

export function takeTurn(table: Table): TakeTurn {
  return (endpoint, now, until) =>
    changeLive(table, endpoint, 'SET slow_turn = :until', `${clauses.isSlow} AND ${clauses.isFree}`, {
      ':now': now,
      ':until': until,
    });
}

/** Changes a live endpoint that meets a condition, and adds a notice of the change. @returns whether it was changed */
export async function changeLive(
  table: Table,
  { customerId, id }: Pick<Endpoint, 'customerId' | 'id'>,
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

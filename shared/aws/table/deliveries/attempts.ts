import type { Table } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { AttemptLogEntry } from '#shared/domain/attempt.ts';
import type { CancelReason, Claim, Delivery, DeliveryKey, Transition } from '#shared/domain/delivery.ts';
import type { Retention } from '#shared/domain/retention.ts';
import { isRefused, type UpdateInput, updateIf } from '../conditional-write.ts';
import { expiryUpdate } from '../expiry.ts';
import type { Statement } from '../grouped-requests.ts';
import { deliveryKey, waitingAttributes } from '../keys.ts';
import { fromDeliveryItem, toLogEntry } from './delivery-item.ts';

/**
 * The life of an attempt as conditional writes:
 *
 *     claim ──────── POST ──────── record          the claim increments attempts before anything is sent
 *       │  lease_until                │
 *       ├───────────── (worker dies) ─┴─> after the lease another worker records it as interrupted,
 *       │                                 under the dead worker's token: the first write wins
 *       └─> release, if nothing was sent: decrements attempts under the same token
 */
const clauses = {
  isPending: '#status = :pending',
  isNext: 'attempts = :attempts_before',
  isUnclaimed: 'attribute_not_exists(claim_token)',
  isDue: '(attribute_not_exists(retry_at) OR retry_at <= :latest_due)',
  isOurs: 'claim_token = :token',
} as const;

const { waiting } = tableSchema.indexes;
const removeWaiting = `${waiting.partitionKey}, ${waiting.sortKey}`;

const allOf = (...names: (keyof typeof clauses)[]): string => names.map((name) => clauses[name]).join(' AND ');

/** `latestDue`: an attempt that is due later is not claimed, epoch milliseconds. */
export type AskedClaim = Claim & { readonly latestDue: number };

/** Claims an attempt before its POST. A refusal returns the delivery as it is stored. */
export async function claimAttempt(
  table: Table,
  key: DeliveryKey,
  attempt: number,
  claim: AskedClaim,
): Promise<
  | { readonly claimed: true; readonly delivery: Delivery }
  | { readonly claimed: false; readonly delivery: Delivery | null }
> {
  const statement = claimStatement(table.name, key, attempt, claim);
  // A claim that is refused in a group is decided alone.
  const claimed = await table.groups?.claims?.(deliveryKey(key), statement);
  if (claimed && 'pk' in claimed) return { claimed: true, delivery: fromDeliveryItem(claimed) };
  const result = await updateIf(table, {
    Key: deliveryKey(key),
    UpdateExpression: 'SET attempts = :attempt, claim_token = :token, lease_until = :lease_until',
    ConditionExpression: allOf('isPending', 'isNext', 'isUnclaimed', 'isDue'),
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':pending': 'pending',
      ':attempts_before': attempt - 1,
      ':attempt': attempt,
      ':token': claim.fencingToken,
      ':lease_until': claim.leaseUntil,
      ':latest_due': claim.latestDue,
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (!isRefused(result)) return { claimed: true, delivery: fromDeliveryItem(result.Attributes) };
  const delivery = result.item === null ? null : fromDeliveryItem(result.item);
  // The client retries a write whose response was lost, so a claim with this token was made by this call.
  const ours = delivery?.claim?.fencingToken === claim.fencingToken;
  return ours ? { claimed: true, delivery } : { claimed: false, delivery };
}

/** The claim as a statement that returns the delivery. */
function claimStatement(
  tableName: string,
  key: DeliveryKey,
  attempt: number,
  { fencingToken, leaseUntil, latestDue }: AskedClaim,
): Statement {
  const { pk, sk } = deliveryKey(key);
  return {
    text: `UPDATE "${tableName}" SET attempts = ?, claim_token = ?, lease_until = ? WHERE pk = ? AND sk = ? AND "status" = ? AND attempts = ? AND claim_token IS MISSING AND (retry_at IS MISSING OR retry_at <= ?) RETURNING ALL NEW *`,
    values: [attempt, fencingToken, leaseUntil, pk, sk, 'pending', attempt - 1, latestDue],
  };
}

/**
 * Releases a claim for which nothing was sent, so that the attempt does not count. Changes nothing when the claim does
 * not hold: it was never stored, was released before, or another worker recorded the attempt.
 *
 * @returns whether the claim held
 */
export async function releaseAttempt(
  table: Table,
  key: DeliveryKey,
  attempt: number,
  fencingToken: string,
): Promise<boolean> {
  const result = await updateIf(table, {
    Key: deliveryKey(key),
    UpdateExpression: 'SET attempts = :attempts_before REMOVE claim_token, lease_until',
    ConditionExpression: allOf('isPending', 'isOurs'),
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':pending': 'pending',
      ':attempts_before': attempt - 1,
      ':token': fencingToken,
    },
  });
  return !isRefused(result);
}

export type RecordedAttempt<Key extends DeliveryKey = DeliveryKey> = {
  readonly key: Key;
  readonly attempt: number;
  /** The token of the claim under which the attempt was made. */
  readonly fencingToken: string;
  readonly entry: AttemptLogEntry;
  readonly transition: Transition;
};

/** @returns `false` when the claim no longer holds: another worker recorded the attempt */
export async function recordAttempt(table: Table, recorded: RecordedAttempt): Promise<boolean> {
  const statement = endStatement(table.name, recorded, table.retention);
  if (statement && (await table.groups?.records?.(deliveryKey(recorded.key), statement))) return true;
  const result = await updateIf(table, recordInput(recorded, table.retention));
  if (!isRefused(result)) return true;
  return result.item !== null && alreadyRecorded(fromDeliveryItem(result.item), recorded);
}

/**
 * Ends a delivery at its first attempt, when there is only a claim to remove: DynamoDB's PartiQL and its emulators remove
 * one attribute alike, and several not. The token of the claim stays, which nothing reads without a lease.
 */
function endStatement(tableName: string, recorded: RecordedAttempt, retention?: Retention): Statement | null {
  const { key, attempt, entry, fencingToken, transition } = recorded;
  if (attempt !== 1 || transition.status === 'pending') return null;
  const { pk, sk } = deliveryKey(key);
  const { set, values } = expiryUpdate(retention, transition.endedAt);
  const expiresAt = values[':expires_at'];
  return {
    text: `UPDATE "${tableName}" SET "status" = ?, "log" = ?, last_at = ?, ended_at = ?${set.replace(':expires_at', '?')} REMOVE lease_until WHERE pk = ? AND sk = ? AND "status" = ? AND claim_token = ? AND retry_at IS MISSING AND ${waiting.partitionKey} IS MISSING`,
    values: [
      transition.status,
      [toLogEntry(entry)],
      entry.at,
      transition.endedAt,
      ...(expiresAt === undefined ? [] : [expiresAt]),
      pk,
      sk,
      'pending',
      fencingToken,
    ],
  };
}

/** A delivery expires a retention after its end; a pending one never does. */
function recordInput(recorded: RecordedAttempt, retention?: Retention): UpdateInput {
  const { key, entry, fencingToken, transition } = recorded;
  const waits = transition.status === 'pending';
  const expiry = waits ? { set: '', values: {} } : expiryUpdate(retention, transition.endedAt);
  return {
    Key: deliveryKey(key),
    UpdateExpression: waits
      ? `SET #status = :status, #log = list_append(if_not_exists(#log, :empty), :entry), last_at = :at, retry_at = :time, ${waiting.partitionKey} = :waiting_pk, ${waiting.sortKey} = :waiting_sk REMOVE claim_token, lease_until`
      : `SET #status = :status, #log = list_append(if_not_exists(#log, :empty), :entry), last_at = :at, ended_at = :time${expiry.set} REMOVE claim_token, lease_until, retry_at, ${removeWaiting}`,
    ConditionExpression: allOf('isPending', 'isOurs'),
    ExpressionAttributeNames: { '#status': 'status', '#log': 'log' },
    ExpressionAttributeValues: {
      ':pending': 'pending',
      ':token': fencingToken,
      ':status': transition.status,
      ':empty': [],
      ':entry': [toLogEntry(entry)],
      ':at': entry.at,
      ':time': waits ? transition.retryAt : transition.endedAt,
      ...(waits ? waitingValues(key, transition.retryAt) : {}),
      ...expiry.values,
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

function waitingValues(key: DeliveryKey, dueAt: number) {
  const attributes = waitingAttributes(key, dueAt);
  return { ':waiting_pk': attributes[waiting.partitionKey], ':waiting_sk': attributes[waiting.sortKey] };
}

/** Whether the log has this entry already: the client retries a write whose response was lost. */
function alreadyRecorded(delivery: Delivery, { attempt, entry }: RecordedAttempt): boolean {
  const logged = delivery.log[attempt - 1];
  return logged !== undefined && JSON.stringify(toLogEntry(logged)) === JSON.stringify(toLogEntry(entry));
}

/**
 * Ends a pending delivery as failed without another attempt.
 *
 * @param at epoch milliseconds
 * @returns `in_flight` when the delivery is claimed, also by a worker that died; `ended` when it had already ended; the
 *   delivery as it is stored, `null` when there is none
 */
export async function cancelDelivery(
  table: Table,
  key: DeliveryKey,
  reason: CancelReason,
  at: number,
): Promise<{
  readonly outcome: 'cancelled' | 'ended' | 'in_flight';
  readonly delivery: Delivery | null;
}> {
  const expiry = expiryUpdate(table.retention, at);
  const result = await updateIf(table, {
    Key: deliveryKey(key),
    UpdateExpression: `SET #status = :failed, cancelled = :reason, ended_at = :now${expiry.set} REMOVE retry_at, ${removeWaiting}`,
    ConditionExpression: allOf('isPending', 'isUnclaimed'),
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':pending': 'pending',
      ':failed': 'failed',
      ':reason': reason,
      ':now': at,
      ...expiry.values,
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (!isRefused(result)) return { outcome: 'cancelled', delivery: fromDeliveryItem(result.Attributes) };
  const delivery = result.item === null ? null : fromDeliveryItem(result.item);
  return { outcome: delivery?.status === 'pending' ? 'in_flight' : 'ended', delivery };
}

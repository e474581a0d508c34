import { tableSchema } from '#shared/contract/table-schema.ts';
import type { AttemptLogEntry } from '#shared/domain/attempt.ts';
import type { Claim, DeliveryKey, Transition } from '#shared/domain/delivery.ts';
import type { Retention } from '#shared/domain/retention.ts';
import { expiryUpdate } from '../expiry.ts';
import type { Statement } from '../grouped-writes.ts';
import { deliveryKey } from '../keys.ts';
import { toLogEntry } from './delivery-item.ts';

/** `latestDue`: an attempt that is due later is not claimed, epoch milliseconds. */
export type AskedClaim = Claim & { readonly latestDue: number };

export type RecordedAttempt<Key extends DeliveryKey = DeliveryKey> = {
  readonly key: Key;
  readonly attempt: number;
  /** The token of the claim under which the attempt was made. */
  readonly fencingToken: string;
  readonly entry: AttemptLogEntry;
  readonly transition: Transition;
};

/** The claim of `attempts.ts` as a statement that returns the delivery. */
export function claimStatement(
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
 * Ends a delivery at its first attempt, when there is only a claim to remove: DynamoDB's PartiQL and its emulators remove
 * one attribute alike, and several not. The token of the claim stays, which nothing reads without a lease.
 */
export function endStatement(tableName: string, recorded: RecordedAttempt, retention?: Retention): Statement | null {
  const { key, attempt, entry, fencingToken, transition } = recorded;
  if (attempt !== 1 || transition.status === 'pending') return null;
  const { pk, sk } = deliveryKey(key);
  const { set, values } = expiryUpdate(retention, transition.endedAt);
  const expiresAt = values[':expires_at'];
  return {
    text: `UPDATE "${tableName}" SET "status" = ?, "log" = ?, last_at = ?, ended_at = ?${set.replace(':expires_at', '?')} REMOVE lease_until WHERE pk = ? AND sk = ? AND "status" = ? AND claim_token = ? AND retry_at IS MISSING AND ${tableSchema.indexes.waiting.partitionKey} IS MISSING`,
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

import type { Table, WritableTable } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { Delivery, DeliveryKey } from '#shared/domain/delivery.ts';
import type { Retention } from '#shared/domain/retention.ts';
import type {
  CancelDelivery,
  ClaimAttempt,
  RecordAttempt,
  RecordedAttempt,
  ReleaseAttempt,
} from '#shared/operations/ports.ts';
import { isRefused, type UpdateInput, updateIf } from '../conditional-write.ts';
import { expiryUpdate } from '../expiry.ts';
import { type GroupedWrite, ungrouped } from '../grouped-writes.ts';
import { deliveryKey, waitingAttributes } from '../keys.ts';
import { claimStatement, endStatement } from './attempt-statements.ts';
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
  isFree: '(attribute_not_exists(lease_until) OR lease_until <= :now)',
} as const;

const { waiting } = tableSchema.indexes;
const removeWaiting = `${waiting.partitionKey}, ${waiting.sortKey}`;

const allOf = (...names: (keyof typeof clauses)[]): string =>
  names.map((name) => clauses[name]).join(' AND ');

/** @param together claims the attempts of a batch in one call; a claim that is refused there is decided alone */
export function claimAttempt(table: Table, together: GroupedWrite = ungrouped): ClaimAttempt {
  return async (key, attempt, claim) => {
    const claimed = await together(deliveryKey(key), claimStatement(table.name, key, attempt, claim));
    if (claimed !== null && 'pk' in claimed) return { claimed: true, delivery: fromDeliveryItem(claimed) };
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
  };
}

export function releaseAttempt(table: Table): ReleaseAttempt {
  return async (key, attempt, fencingToken) => {
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
  };
}

export function recordAttempt(table: WritableTable, together: GroupedWrite = ungrouped): RecordAttempt {
  return async (recorded) => {
    const statement = endStatement(table.name, recorded, table.retention);
    if (statement !== null && (await together(deliveryKey(recorded.key), statement)) !== null) return true;
    const result = await updateIf(table, recordInput(recorded, table.retention));
    if (!isRefused(result)) return true;
    return result.item !== null && alreadyRecorded(fromDeliveryItem(result.item), recorded);
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

export function cancelDelivery(table: WritableTable): CancelDelivery {
  return async (key, reason, at) => {
    const expiry = expiryUpdate(table.retention, at);
    const result = await updateIf(table, {
      Key: deliveryKey(key),
      UpdateExpression: `SET #status = :failed, cancelled = :reason, ended_at = :now${expiry.set} REMOVE claim_token, lease_until, retry_at, ${removeWaiting}`,
      ConditionExpression: allOf('isPending', 'isFree'),
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
  };
}

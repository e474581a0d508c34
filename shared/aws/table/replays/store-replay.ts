import { IdempotentParameterMismatchException } from '@aws-sdk/client-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import { type Delivery, originalOf, type Replay } from '#shared/domain/delivery.ts';
import { putInput, readDelivery } from '../deliveries/deliveries.ts';
import { dependentExpiryNow } from '../expiry.ts';
import { deliveryKey, eventReplayKey } from '../keys.ts';
import { transact } from '../transact.ts';

const clauses = {
  exists: 'attribute_exists(pk)',
  hasStatus: '#status = :status',
  hasNoReplay: 'attribute_not_exists(replayed_by)',
  hasThisReplay: 'replayed_by = :before',
} as const;

/**
 * Stores a replay in one transaction: the new delivery, its id on the original, and its entry among the replays of the
 * event.
 *
 * @param dueAt when the sweep may queue the replay, epoch milliseconds
 * @param only status and newest replay that the original must have; `null`: the original only has to exist
 * @returns `false` when the original is not so; then nothing is stored
 */
export async function storeReplay(
  table: Table,
  replay: Replay,
  dueAt: number,
  only: Pick<Delivery, 'status' | 'replayedBy'> | null,
): Promise<boolean> {
  const { name: TableName, retention } = table;
  const { ReturnValuesOnConditionCheckFailure: _, ...put } = putInput(replay, dueAt);
  const eventReplay = { ...eventReplayKey(replay, replay.event.id), ...dependentExpiryNow(retention) };
  const original = {
    TableName,
    Key: deliveryKey(originalOf(replay)),
    UpdateExpression: 'SET replayed_by = :replay',
    // Without a condition, the update would create a delivery that has expired meanwhile.
    ...(only === null
      ? { ConditionExpression: clauses.exists }
      : {
          ConditionExpression: `${clauses.hasStatus} AND ${only.replayedBy === null ? clauses.hasNoReplay : clauses.hasThisReplay}`,
          ExpressionAttributeNames: { '#status': 'status' },
        }),
    ExpressionAttributeValues: {
      ':replay': replay.id,
      ...(only === null ? {} : { ':status': only.status }),
      ...(only?.replayedBy == null ? {} : { ':before': only.replayedBy }),
    },
  };
  const input = {
    // Makes a retry of this request idempotent.
    ClientRequestToken: replay.id,
    TransactItems: [{ Put: { TableName, ...put } }, { Update: original }, { Put: { TableName, Item: eventReplay } }],
  };
  try {
    return (await transact(table, input)) === null;
  } catch (error) {
    // Another try of the same request had the token first, and began at another time.
    if (error instanceof IdempotentParameterMismatchException) return (await readDelivery(table, replay)) !== null;
    throw error;
  }
}

import type { WritableTable } from '#shared/aws/clients.ts';
import { originalOf } from '#shared/domain/delivery.ts';
import type { StoreReplay } from '#shared/operations/ports.ts';
import type { Backoff } from '../backoff.ts';
import { putInput } from '../deliveries/deliveries.ts';
import { dependentExpiryNow } from '../expiry.ts';
import { deliveryKey, eventReplayKey } from '../keys.ts';
import { transact } from '../transact.ts';

const clauses = {
  exists: 'attribute_exists(pk)',
  hasStatus: '#status = :status',
  hasNoReplay: 'attribute_not_exists(replayed_by)',
  hasThisReplay: 'replayed_by = :before',
} as const;

export function storeReplay(table: WritableTable, backoff: Backoff): StoreReplay {
  const { name: TableName, retention } = table;
  return async (replay, dueAt, only) => {
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
      TransactItems: [
        { Put: { TableName, ...put } },
        { Update: original },
        { Put: { TableName, Item: eventReplay } },
      ],
    };
    return (await transact(table, input, backoff)) === null;
  };
}

import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { WritableTable } from '#shared/aws/clients.ts';
import type { ReplayableStatus } from '#shared/domain/bulk-replay.ts';
import type { Replay } from '#shared/domain/delivery.ts';
import type { Retention } from '#shared/domain/retention.ts';
import type { StoreReplay } from '#shared/operations/ports.ts';
import type { Backoff } from '../backoff.ts';
import { putInput } from '../deliveries/deliveries.ts';
import { dependentExpiryNow } from '../expiry.ts';
import { deliveryKey } from '../keys.ts';
import { transact } from '../transact.ts';
import { toEventReplayItem } from './event-replay-item.ts';

const clauses = {
  exists: 'attribute_exists(pk)',
  hasStatus: '#status = :status',
  hasNoReplay: 'attribute_not_exists(replayed_by)',
} as const;

export function storeReplay(table: WritableTable, backoff: Backoff): StoreReplay {
  return async (replay, dueAt, only) => {
    const input = replayInput(table.name, replay, dueAt, only, table.retention);
    return (await transact(table, input, backoff)) === null;
  };
}

function replayInput(
  tableName: string,
  replay: Replay,
  dueAt: number,
  only: ReplayableStatus | null,
  retention?: Retention,
): TransactWriteCommandInput {
  const eventReplay = { ...toEventReplayItem(replay, replay.event.id), ...dependentExpiryNow(retention) };
  const { ReturnValuesOnConditionCheckFailure: _, ...put } = putInput(tableName, replay, dueAt);
  return {
    // Makes a retry of this request idempotent.
    ClientRequestToken: replay.id,
    TransactItems: [
      { Put: put },
      {
        Update: {
          TableName: tableName,
          Key: deliveryKey({ ...replay, id: replay.replayOf }),
          UpdateExpression: 'SET replayed_by = :replay',
          // Without a condition, the update would create a delivery that has expired meanwhile.
          ...(only === null
            ? { ConditionExpression: clauses.exists }
            : {
                ConditionExpression: `${clauses.hasStatus} AND ${clauses.hasNoReplay}`,
                ExpressionAttributeNames: { '#status': 'status' },
              }),
          ExpressionAttributeValues: { ':replay': replay.id, ...(only === null ? {} : { ':status': only }) },
        },
      },
      { Put: { TableName: tableName, Item: eventReplay } },
    ],
  };
}

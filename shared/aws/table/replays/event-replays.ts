import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import { deliveryStatuses } from '#shared/domain/delivery.ts';
import type { ListEventReplays, ReadReplayStates, ReplayState } from '#shared/operations/replays/ports.ts';
import type { Backoff } from '../backoff.ts';
import { getAllCheaply } from '../batches.ts';
import { deliveryKey, eventReplayKey } from '../keys.ts';
import { queryAll } from '../query-pages.ts';
import { readAll, reads } from '../stored-row.ts';
import { fromEventReplayItem } from './event-replay-item.ts';

const stateRow = reads(
  'Delivery',
  z.object({
    sk: z.string(),
    status: z.enum(deliveryStatuses),
    replay_of: z.optional(z.nullable(z.string())),
  }),
  ({ sk, status, replay_of: replayOf = null }): ReplayState => ({ id: sk, status, replayOf }),
);

export function readReplayStates(table: Table, backoff: Backoff): ReadReplayStates {
  return async ({ customerId, id: webhookId }, ids) => {
    const keys = ids.map((id) => deliveryKey({ customerId, webhookId, id }));
    const rows = await getAllCheaply(table, keys, backoff);
    return readAll(
      table,
      rows.filter((row) => row !== undefined),
      stateRow,
    );
  };
}

export function listEventReplays(table: Table): ListEventReplays {
  return async ({ customerId, id: webhookId }, eventId) => {
    const { pk } = eventReplayKey({ customerId, webhookId, id: '' }, eventId);
    const rows = await queryAll(table, {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
    });
    return readAll(table, rows, fromEventReplayItem);
  };
}

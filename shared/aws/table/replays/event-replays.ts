import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import { type Delivery, deliveryStatuses } from '#shared/domain/delivery.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import { getAllCheaply } from '../batches.ts';
import { deliveryKey, eventReplayKey } from '../keys.ts';
import { queryAll } from '../query-pages.ts';
import { readAll, reads } from '../stored-row.ts';
import { fromEventReplayItem } from './event-replay-item.ts';

/** A replay of an event at an endpoint. */
export type ReplayState = Pick<Delivery, 'id' | 'status' | 'replayOf'>;

const stateRow = reads(
  'Delivery',
  z.object({
    sk: z.string(),
    status: z.enum(deliveryStatuses),
    replay_of: z.optional(z.nullable(z.string())),
  }),
  ({ sk, status, replay_of: replayOf = null }): ReplayState => ({ id: sk, status, replayOf }),
);

/** Reads at most 100 replays; those that are gone are left out. A status may be a second old. */
export async function readReplayStates(
  table: Table,
  { customerId, id: webhookId }: Pick<DeliveryHistory, 'customerId' | 'id'>,
  ids: readonly string[],
): Promise<readonly ReplayState[]> {
  const keys = ids.map((id) => deliveryKey({ customerId, webhookId, id }));
  const rows = await getAllCheaply(table, keys);
  return readAll(
    table,
    rows.filter((row) => row !== undefined),
    stateRow,
  );
}

/** The ids of all replays of an event to an endpoint; strongly consistent. Releases up to 0.2.0 stored none. */
export async function listEventReplays(
  table: Table,
  { customerId, id: webhookId }: Pick<DeliveryHistory, 'customerId' | 'id'>,
  eventId: string,
): Promise<readonly string[]> {
  const { pk } = eventReplayKey({ customerId, webhookId, id: '' }, eventId);
  const rows = await queryAll(table, {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
  });
  return readAll(table, rows, fromEventReplayItem);
}

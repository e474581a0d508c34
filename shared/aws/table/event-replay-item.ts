import * as z from 'zod';
import type { DeliveryKey } from '#shared/domain/delivery.ts';
import { eventReplayKey } from './keys.ts';
import { reads } from './stored-row.ts';

/** Where one replay of an event is stored. */
export type EventReplay = Pick<DeliveryKey, 'id' | 'webhookId'>;

export function toEventReplayItem({ customerId, webhookId, id }: DeliveryKey, eventId: string) {
  return { ...eventReplayKey(customerId, eventId, id), webhook_id: webhookId };
}

export const fromEventReplayItem = reads(
  'Event replay',
  z.object({ sk: z.string(), webhook_id: z.string() }),
  ({ sk, webhook_id }): EventReplay => ({ id: sk, webhookId: webhook_id }),
);

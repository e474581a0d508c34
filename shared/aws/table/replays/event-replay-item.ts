import * as z from 'zod';
import type { DeliveryKey } from '#shared/domain/delivery.ts';
import { eventReplayKey } from '../keys.ts';
import { reads } from '../stored-row.ts';

/** One replay of an event to an endpoint: its key says all. */
export function toEventReplayItem(key: DeliveryKey, eventId: string) {
  return eventReplayKey(key, eventId);
}

/** The id of the replay. */
export const fromEventReplayItem = reads('Event replay', z.object({ sk: z.string() }), ({ sk }) => sk);

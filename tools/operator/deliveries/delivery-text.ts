import { presentDelivery, presentDeliveryWithLog } from '#shared/contract/records/delivery.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { idTime } from '#shared/domain/ids.ts';
import { counted, factLines, recordTable } from '../cli/text-table.ts';
import { attemptTimeline } from './attempt-timeline.ts';

/** A table of deliveries. */
export function deliveryTable(deliveries: readonly Delivery[]): readonly string[] {
  return recordTable(deliveries, {
    DELIVERY: ({ id }) => id,
    CREATED: ({ id }) => timestamp(idTime(id)),
    STATUS: ({ status }) => status,
    ATTEMPTS: ({ attempts }) => attempts,
    RESULT: resultOf,
    EVENT: ({ event }) => event.type,
    ENDPOINT: ({ webhookId }) => webhookId,
    CUSTOMER: ({ customerId }) => customerId,
  });
}

/** The status that the receiver answered the last attempt with, or else why it has none. */
function resultOf({ log, cancelled }: Delivery): string | null {
  const last = log.at(-1);
  if (cancelled !== null) return cancelled;
  return last === undefined ? null : String(last.responseStatus ?? last.outcome);
}

/** A delivery in a list, as JSON: as in the API, with its customer, its endpoint and its newest replay. */
export function deliveryJson(delivery: Delivery) {
  return { ...presentDelivery(delivery), ...operatorFacts(delivery) };
}

/** A delivery with its body and its attempts, as JSON. */
export function deliveryJsonWithLog(delivery: Delivery) {
  return { ...presentDeliveryWithLog(delivery), ...operatorFacts(delivery) };
}

function operatorFacts({ customerId, webhookId, replayedBy }: Delivery) {
  return { customer_id: customerId, webhook_id: webhookId, replayed_by: replayedBy };
}

/** A delivery in full. @param width columns of the terminal; `null` without one */
export function deliveryLines(delivery: Delivery, width: number | null): readonly string[] {
  const shown = deliveryJsonWithLog(delivery);
  const count = counted(delivery.attempts, 'attempt');
  return [
    `Delivery ${delivery.id}: ${delivery.status} after ${count}`,
    ...factLines(
      {
        Event: shown.event_id,
        'Event type': shown.event_type,
        Run: shown.run_id,
        Tracker: shown.tracker_id,
        'Change Report': shown.change_report_id,
        Customer: shown.customer_id,
        Endpoint: shown.webhook_id,
        'Replay of': shown.replay_of,
        'Replayed by': shown.replayed_by,
        Created: shown.created_at,
        Delivered: shown.delivered_at,
        Failed: shown.failed_at,
        'Next attempt': shown.next_attempt_at,
        Error: shown.error,
        Body: shown.body,
      },
      15,
    ),
    'Attempts:',
    ...attemptTimeline(delivery, width),
  ];
}

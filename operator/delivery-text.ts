import { presentDelivery, presentDeliveryWithLog } from '#shared/contract/records/delivery.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { idTime } from '#shared/domain/ids.ts';
import { attemptTimeline } from './attempt-timeline.ts';
import { plainText, textTable } from './text-table.ts';

const columns = [
  'DELIVERY',
  'CREATED',
  'STATUS',
  'ATTEMPTS',
  'RESULT',
  'EVENT',
  'ENDPOINT',
  'CUSTOMER',
] as const;

/** A table of deliveries. */
export function deliveryTable(deliveries: readonly Delivery[]): readonly string[] {
  return textTable(
    columns,
    deliveries.map((delivery) => [
      delivery.id,
      timestamp(idTime(delivery.id)),
      delivery.status,
      String(delivery.attempts),
      resultOf(delivery),
      delivery.event.type,
      delivery.webhookId,
      delivery.customerId,
    ]),
  );
}

/** The status that the receiver answered the last attempt with, or else why it has none. */
function resultOf({ log, cancelled }: Delivery): string | null {
  const last = log.at(-1);
  if (cancelled !== null) return cancelled;
  return last === undefined ? null : String(last.responseStatus ?? last.outcome);
}

/** A delivery in a list, as JSON: as in the API, with its customer and its endpoint. */
export function deliveryJson(delivery: Delivery) {
  const { customerId, webhookId } = delivery;
  return { ...presentDelivery(delivery), customer_id: customerId, webhook_id: webhookId };
}

/** A delivery with its body and its attempts, as JSON. */
export function deliveryJsonWithLog(delivery: Delivery) {
  const { customerId, webhookId } = delivery;
  return { ...presentDeliveryWithLog(delivery), customer_id: customerId, webhook_id: webhookId };
}

/** A delivery in full. @param width columns of the terminal; `null` without one */
export function deliveryLines(delivery: Delivery, width: number | null): readonly string[] {
  const shown = presentDelivery(delivery);
  const { event } = delivery;
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    ['Event', `${event.id} (${event.type})`],
    ['Run', event.runId],
    ['Tracker', event.trackerId],
    ['Change Report', event.changeReportId],
    ['Customer', delivery.customerId],
    ['Endpoint', delivery.webhookId],
    ['Replay of', shown.replay_of],
    ['Created', shown.created_at],
    ['Delivered', shown.delivered_at],
    ['Failed', shown.failed_at],
    ['Next attempt', shown.next_attempt_at],
    ['Error', shown.error],
    ['Body', delivery.body],
  ];
  const known = facts.flatMap(([name, value]) =>
    value === null ? [] : [`${`${name}:`.padEnd(15)}${plainText(value)}`],
  );
  const count = `${shown.attempts} attempt${shown.attempts === 1 ? '' : 's'}`;
  return [
    `Delivery ${delivery.id}: ${shown.status} after ${count}`,
    ...known,
    'Attempts:',
    ...attemptTimeline(delivery, width),
  ];
}

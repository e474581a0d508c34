import { presentDelivery, presentDeliveryWithLog } from '#shared/contract/records/delivery.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { idTime } from '#shared/domain/ids.ts';
import { plainText, textTable } from '../cli/text-table.ts';
import { attemptTimeline } from './attempt-timeline.ts';

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

/** Members of the record in the order of their lines; those without a value have no line. */
const labels: readonly (readonly [member: string, label: string])[] = [
  ['event_id', 'Event'],
  ['event_type', 'Event type'],
  ['run_id', 'Run'],
  ['tracker_id', 'Tracker'],
  ['change_report_id', 'Change Report'],
  ['customer_id', 'Customer'],
  ['webhook_id', 'Endpoint'],
  ['replay_of', 'Replay of'],
  ['replayed_by', 'Replayed by'],
  ['created_at', 'Created'],
  ['delivered_at', 'Delivered'],
  ['failed_at', 'Failed'],
  ['next_attempt_at', 'Next attempt'],
  ['error', 'Error'],
  ['body', 'Body'],
];

/** A delivery in full. @param width columns of the terminal; `null` without one */
export function deliveryLines(delivery: Delivery, width: number | null): readonly string[] {
  const shown: Readonly<Record<string, unknown>> = deliveryJsonWithLog(delivery);
  const known = labels.flatMap(([member, label]) => {
    const value = shown[member];
    return typeof value === 'string' ? [`${`${label}:`.padEnd(15)}${plainText(value)}`] : [];
  });
  const count = `${delivery.attempts} attempt${delivery.attempts === 1 ? '' : 's'}`;
  return [
    `Delivery ${delivery.id}: ${delivery.status} after ${count}`,
    ...known,
    'Attempts:',
    ...attemptTimeline(delivery, width),
  ];
}

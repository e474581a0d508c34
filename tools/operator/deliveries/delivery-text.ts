import { presentDelivery, presentDeliveryWithLog } from '#shared/contract/records/delivery.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import type { AttemptTimings, LoggedAttempt } from '#shared/domain/attempt.ts';
import { type Delivery, isHandshake, plannedAt } from '#shared/domain/delivery.ts';
import { idTime } from '#shared/domain/ids.ts';
import { attemptTimeout, maxAttempts } from '#shared/domain/retry-plan.ts';
import { coloured } from '../cli/colour.ts';
import { counted, factLines, plainText, recordTable, when } from '../cli/text-table.ts';

/** A table of deliveries. */
export function deliveryTable(deliveries: readonly Delivery[]): readonly string[] {
  return recordTable(deliveries, {
    DELIVERY: 'id',
    CREATED: ({ id }) => timestamp(idTime(id)),
    STATUS: 'status',
    ATTEMPTS: 'attempts',
    RESULT: resultOf,
    EVENT: ({ event }) => event.type,
    ENDPOINT: 'webhookId',
    CUSTOMER: 'customerId',
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
    `Delivery ${delivery.id}: ${coloured(delivery.status)} after ${count}`,
    ...factLines(
      {
        Event: shown.event_id,
        'Event type': shown.event_type,
        'Example of': shown.example_type,
        Run: shown.run_id,
        Tracker: shown.tracker_id,
        'Change Report': shown.change_report_id,
        Customer: shown.customer_id,
        Endpoint: shown.webhook_id,
        'Replay of': shown.replay_of,
        'Of endpoint': shown.source_webhook_id,
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

/** The phases of an attempt in their order, each with the character of its bar. */
const phases = [
  { name: 'DNS', key: 'dnsMs', mark: 'D' },
  { name: 'connect', key: 'connectMs', mark: 'C' },
  { name: 'TLS', key: 'tlsMs', mark: 'T' },
  { name: 'first byte', key: 'firstByteMs', mark: 'F' },
] as const;

/** Time after the last finished phase: the phase in which the attempt ended. */
const unfinishedMark = '~';
const unusedMark = '.';

const marks = phases.map(({ name, mark }) => `${mark} ${name}`).join(', ');
const legend = `  The whole bar is ${attemptTimeout / 1000} s. ${marks}, ${unfinishedMark} not finished`;

const minBarWidth = 20;
const indent = '    ';

/**
 * The attempts of a delivery as lines: when each was planned, when it began, its outcome, and its phases.
 *
 * @param columns width of the terminal, for bars on the scale of the time limit of an attempt; `null` for no bars
 */
export function attemptTimeline(delivery: Delivery, columns: number | null): readonly string[] {
  const attempts = delivery.log.flatMap((entry, index) =>
    attemptLines(entry, index + 1, plannedAt(delivery, index), columns),
  );
  return [...when(columns !== null && attempts.length > 0, legend), ...attempts, ...nextLines(delivery)];
}

function attemptLines(
  entry: LoggedAttempt,
  number: number,
  planned: number,
  columns: number | null,
): readonly string[] {
  const { at, durationMs, outcome, responseStatus, error, isRepeated, timings } = entry;
  const status = responseStatus === null ? '' : ` ${responseStatus}`;
  const lateness = `${at < planned ? '-' : '+'}${duration(Math.abs(at - planned))}`;
  return [
    `  ${number}  planned ${timestamp(planned)}, began ${timestamp(at)} (${lateness})`,
    `${indent} ${plainText(outcome)}${status} after ${duration(durationMs)}${phaseText(timings)}`,
    ...when(isRepeated, `${indent} sent again on a new connection: the kept one ended without a response`),
    ...(columns === null ? [] : [`${indent} ${bar(entry, columns - indent.length - 1)}`]),
    ...(error === null ? [] : [`${indent} ${plainText(error)}`]),
  ];
}

function phaseText(timings: AttemptTimings): string {
  const reached = phases.flatMap(({ name, key }) => {
    const ms = timings[key];
    return ms === null ? [] : [`${name} ${duration(ms)}`];
  });
  return reached.length === 0 ? '' : `: ${reached.join(', ')}`;
}

/** Each character is the phase in its middle. A phase that is too short for a character is in the text only. */
function bar({ durationMs, timings }: LoggedAttempt, columns: number): string {
  const width = Math.max(minBarWidth, columns - 2);
  let end = 0;
  const ends = phases.map(({ key, mark }) => {
    end += timings[key] ?? 0;
    return { end, mark };
  });
  const cells = Array.from({ length: width }, (_, cell) => {
    const ms = ((cell + 0.5) * attemptTimeout) / width;
    const phase = ends.find((each) => ms < each.end);
    return phase?.mark ?? (ms < durationMs ? unfinishedMark : unusedMark);
  });
  return `[${cells.join('')}]`;
}

function nextLines(delivery: Delivery): readonly string[] {
  const { status, claim, retryAt, log, attempts, cancelled } = delivery;
  if (cancelled !== null) return [`  -  cancelled: ${plainText(cancelled)}`];
  if (status !== 'pending') return [];
  if (claim !== null) return [`  ${attempts}  is under way`];
  if (retryAt !== null) return [`  ${log.length + 1}  planned ${timestamp(retryAt)}`];
  const last = isHandshake(delivery) ? 1 : maxAttempts;
  return [`  1  planned at once; ${counted(last, 'attempt')} at most`];
}

/** `183 ms`, `10 s`, `2.5 s`, `10 min` or `1 h 2 min`. */
function duration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(1))} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

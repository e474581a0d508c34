import { presentDelivery } from '#shared/contract/records/delivery.ts';
import { timestamp, timestampOrNull } from '#shared/contract/timestamp.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import {
  type Awaited,
  type AwaitedDelivery,
  type EndedWait,
  hasEnded,
} from '#shared/operations/operator/await-deliveries.ts';
import { explainFailure } from '../cli/explain-failure.ts';
import { recordTable, when } from '../cli/text-table.ts';

/**
 * The outcome of a wait, for a person: the event, a table of its deliveries, and what went wrong.
 *
 * @param isLocal whether the stack can be told not to wait for the next attempt
 */
export function awaitedLines({ fanOut, deliveries }: Awaited, isLocal: boolean): readonly string[] {
  if (fanOut === null) return [];
  const event = `Event ${fanOut.eventId}, accepted at ${timestamp(fanOut.acceptedAt)}`;
  const rows = deliveries.map((delivery) => toRow(delivery, fanOut));
  if (rows.length === 0) return [event, 'The customer has no active endpoint, so the event has no deliveries'];
  const table = recordTable(rows, {
    DELIVERY: 'id',
    ENDPOINT: 'webhook_id',
    STATUS: 'status',
    ATTEMPTS: 'attempts',
    'FIRST POST': ({ first_post_ms }) => (first_post_ms === null ? null : `after ${first_post_ms} ms`),
    RESPONSE: 'response_status',
  });
  return [event, ...table, ...rows.flatMap((row) => faultOf(row, isLocal))];
}

/** The outcome of a wait, for a program. */
export function awaitedJson({ fanOut, deliveries }: Awaited) {
  if (fanOut === null) return { event: null, deliveries: [] };
  return {
    event: { id: fanOut.eventId, accepted_at: timestamp(fanOut.acceptedAt) },
    deliveries: deliveries.map((delivery) => toRow(delivery, fanOut)),
  };
}

/**
 * @param seconds how long the wait was at most
 * @param listDeadLetters the command that finds a message that was not accepted
 * @throws Error when a delivery of an event failed, or the wait ended before all deliveries had ended, or could not look
 */
export function throwUnlessDelivered(
  { seen: awaited, fault }: EndedWait,
  seconds: number,
  listDeadLetters: string,
): void {
  if (fault !== null) {
    const sent = awaited.length === 1 ? 'The message was sent' : `${awaited.length} messages were sent`;
    throw new Error(`${sent}, and the wait ended early: ${explainFailure(fault)}`);
  }
  const unseen = awaited.filter(({ fanOut }) => fanOut === null).length;
  if (unseen > 0) {
    const what = awaited.length === 1 ? 'the message' : `${unseen} of ${awaited.length} messages`;
    throw new Error(
      `The wait of ${seconds} s ended before the intake accepted ${what}. What it refused is here: ${listDeadLetters}`,
    );
  }
  const deliveries = awaited.flatMap((one) => one.deliveries);
  const failed = deliveries.filter(({ stored }) => stored?.status === 'failed').length;
  const pending = deliveries.filter((delivery) => !hasEnded(delivery)).length;
  const reasons = [
    ...when(failed > 0, `${failed} of ${deliveries.length} deliveries failed`),
    ...when(
      pending > 0,
      `the wait of ${seconds} s ended while ${pending} of ${deliveries.length} deliveries ${pending === 1 ? 'was' : 'were'} pending`,
    ),
  ];
  const text = reasons.join(', and ');
  if (text !== '') throw new Error(text.charAt(0).toUpperCase() + text.slice(1));
}

/** One delivery at the end of a wait, as JSON. */
function toRow({ id, webhookId, stored }: AwaitedDelivery, { acceptedAt }: FanOut) {
  const first = stored?.log[0];
  const shown = stored === null ? null : presentDelivery(stored);
  return {
    id,
    webhook_id: webhookId,
    status: shown?.status ?? 'pending',
    attempts: shown?.attempts ?? 0,
    /** Milliseconds from the acceptance of the event to the start of the first attempt; `null` without a finished one. */
    first_post_ms: first === undefined ? null : first.at - acceptedAt,
    response_status: shown?.response_status ?? null,
    error: shown?.error ?? null,
    next_attempt_at: timestampOrNull(stored?.retryAt ?? null),
  };
}

function faultOf({ id, error, next_attempt_at }: ReturnType<typeof toRow>, isLocal: boolean): readonly string[] {
  if (error === null) return [];
  if (next_attempt_at === null) return [`${id}: ${error}`];
  const sooner = isLocal ? '. Make it now in the console, or start the stack with --time-scale 600' : '';
  return [`${id}: ${error}. The next attempt is planned for ${next_attempt_at}${sooner}`];
}

import * as z from 'zod/mini';
import { timestamp, timestampOrNull } from '#shared/contract/timestamp.ts';
import { attemptOutcomes, type LoggedAttempt } from '#shared/domain/attempt.ts';
import {
  type CancelReason,
  claimedAt,
  type Delivery,
  deliveryStatuses,
  isHandshake,
  plannedAt,
} from '#shared/domain/delivery.ts';
import { type HeaderEvent, type HeaderSettings, headerOutline } from '#shared/domain/delivery-headers.ts';
import { eventTypes, exampleTypes } from '#shared/domain/event.ts';
import { idTime } from '#shared/domain/ids.ts';
import { failureAdvice } from './failure-advice.ts';

/** The record of one event sent to one endpoint. */
export const deliveryRecord = z.object({
  id: z.string(),
  event_id: z.string(),
  event_type: z.enum(eventTypes),
  example_type: z.nullable(z.enum(exampleTypes)),
  status: z.enum(deliveryStatuses),
  attempts: z.int(),
  outcome: z.nullable(z.enum(attemptOutcomes)),
  response_status: z.nullable(z.int()),
  error: z.nullable(z.string()),
  run_id: z.nullable(z.string()),
  tracker_id: z.nullable(z.string()),
  change_report_id: z.nullable(z.string()),
  replay_of: z.nullable(z.string()),
  source_webhook_id: z.nullable(z.string()),
  created_at: z.string(),
  last_attempt_at: z.nullable(z.string()),
  delivered_at: z.nullable(z.string()),
  failed_at: z.nullable(z.string()),
  next_attempt_at: z.nullable(z.string()),
});

/** A delivery in the list of all endpoints, which names its endpoint. */
export const endpointDeliveryRecord = z.extend(deliveryRecord, { webhook_id: z.string() });

/** One attempt in the record of a single delivery. */
export const attemptRecord = z.object({
  planned_at: z.string(),
  at: z.string(),
  duration_ms: z.int(),
  outcome: z.enum(attemptOutcomes),
  response_status: z.nullable(z.int()),
  error: z.nullable(z.string()),
  repeated: z.boolean(),
  timings: z.object({
    dns_ms: z.nullable(z.int()),
    connect_ms: z.nullable(z.int()),
    tls_ms: z.nullable(z.int()),
    first_byte_ms: z.nullable(z.int()),
  }),
});

/** The body is text, not an object: signatures are computed over its exact bytes. */
export const deliveryWithLogRecord = z.extend(deliveryRecord, {
  body: z.string(),
  request_headers: z.array(z.object({ name: z.string(), value: z.nullable(z.string()) })),
  attempt_log: z.array(attemptRecord),
});

/** A delivery of another release may have an event type or an outcome that this release does not know. */
export type DeliveryRecord = Omit<z.infer<typeof deliveryRecord>, 'event_type' | 'example_type' | 'outcome'> & {
  readonly event_type: string;
  readonly example_type: string | null;
  readonly outcome: string | null;
};
/** An attempt of another release may have an outcome that this release does not know. */
export type DeliveryWithLogRecord = DeliveryRecord & {
  readonly body: string;
  readonly attempt_log: readonly AttemptRecord[];
};
type AttemptRecord = Omit<z.infer<typeof attemptRecord>, 'outcome'> & { readonly outcome: string };

const textOfReason: Record<CancelReason, string> = {
  endpoint_deleted: 'Not sent: the endpoint was deleted',
};
const cancelTexts: ReadonlyMap<string, string> = new Map(Object.entries(textOfReason));

export function presentDelivery(delivery: Delivery): DeliveryRecord {
  const { event } = delivery;
  const last = delivery.log.at(-1);
  return {
    id: delivery.id,
    event_id: event.id,
    event_type: event.type,
    example_type: event.exampleType,
    status: delivery.status,
    attempts: delivery.attempts,
    outcome: last?.outcome ?? null,
    response_status: last?.responseStatus ?? null,
    error: errorOf(delivery, last),
    run_id: event.runId,
    tracker_id: event.trackerId,
    change_report_id: event.changeReportId,
    replay_of: delivery.replayOf,
    source_webhook_id: delivery.sourceWebhookId,
    created_at: timestamp(idTime(delivery.id)),
    last_attempt_at: timestampOrNull(lastAttemptAt(delivery)),
    delivered_at: endOf(delivery, 'delivered'),
    failed_at: endOf(delivery, 'failed'),
    next_attempt_at: timestampOrNull(nextAttemptAt(delivery)),
  };
}

export function presentEndpointDelivery(delivery: Delivery): DeliveryRecord & { readonly webhook_id: string } {
  return { ...presentDelivery(delivery), webhook_id: delivery.webhookId };
}

export function presentDeliveryWithLog(delivery: Delivery): DeliveryWithLogRecord {
  return {
    ...presentDelivery(delivery),
    body: delivery.body,
    attempt_log: delivery.log.map((entry, index) => presentAttempt(delivery, entry, index)),
  };
}

/** The headers of every request of a delivery; `null` for values that each attempt computes. */
export function presentHeaders(
  settings: HeaderSettings,
  { event }: { readonly event: HeaderEvent },
): readonly { readonly name: string; readonly value: string | null }[] {
  return Object.entries(headerOutline(settings, event)).map(([name, value]) => ({ name, value }));
}

function presentAttempt(delivery: Delivery, entry: LoggedAttempt, index: number): AttemptRecord {
  return {
    planned_at: timestamp(plannedAt(delivery, index)),
    at: timestamp(entry.at),
    duration_ms: entry.durationMs,
    outcome: entry.outcome,
    response_status: entry.responseStatus,
    error: explained(entry, isHandshake(delivery)),
    repeated: entry.isRepeated,
    timings: {
      dns_ms: entry.timings.dnsMs,
      connect_ms: entry.timings.connectMs,
      tls_ms: entry.timings.tlsMs,
      first_byte_ms: entry.timings.firstByteMs,
    },
  };
}

/** An attempt in flight counts as the last one. */
function lastAttemptAt({ claim, lastAttemptAt: recorded }: Delivery): number | null {
  return claim === null ? recorded : claimedAt(claim);
}

function errorOf(delivery: Delivery, last: LoggedAttempt | undefined): string | null {
  if (delivery.status === 'delivered') return null;
  if (delivery.cancelled === null) return last === undefined ? null : explained(last, isHandshake(delivery));
  return cancelTexts.get(delivery.cancelled) ?? 'Not sent';
}

/** What went wrong, and what the customer can do about it. Only the first sentence is stored. */
function explained(entry: LoggedAttempt, handshake: boolean): string | null {
  const advice = failureAdvice(entry, handshake);
  // Version 0.1.0 stored the sentence with its period.
  const error = entry.error?.replace(/\.$/, '') ?? null;
  return error === null || advice === null ? error : `${error}. ${advice}`;
}

/** A claimed attempt is in progress, and the time of the one after it is not known yet. */
function nextAttemptAt({ status, claim, retryAt }: Delivery): number | null {
  return status === 'pending' && claim === null ? retryAt : null;
}

function endOf(delivery: Delivery, status: 'delivered' | 'failed'): string | null {
  return delivery.status === status ? timestampOrNull(delivery.endedAt) : null;
}

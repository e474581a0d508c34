import * as z from 'zod/mini';
import { instant, rangeLimit } from '#shared/contract/instant.ts';
import { limits } from '#shared/contract/limits.ts';
import { timestamp, timestampOrNull } from '#shared/contract/timestamp.ts';
import {
  bulkReplayStatuses,
  type ReplaySelection,
  replayableResponses,
  replayableStatuses,
  replayableTypes,
} from '#shared/domain/bulk-replay.ts';
import type { BulkReplayPlan } from '#shared/domain/bulk-replay-plan.ts';
import { idPrefixes, idTime, isOwnId } from '#shared/domain/ids.ts';
import type { CountedReplay } from '#shared/domain/replay-outcomes.ts';

const rateRule = `must be a whole number from 1 to ${limits.replayRateMax}`;
const rate = z.int(rateRule).check(z.minimum(1, rateRule), z.maximum(limits.replayRateMax, rateRule));

const deliveryIdForm = z.refine<string>(
  (text) => isOwnId('delivery', text),
  `must be the id of a delivery: \`${idPrefixes.delivery}\` and 26 characters`,
);

const webhookIdForm = z.refine<string>(
  (text) => isOwnId('webhook', text),
  `must be the id of an endpoint: \`${idPrefixes.webhook}\` and 26 characters`,
);

/** Body of a request for a bulk replay, and of one for its plan. */
export const bulkReplayRequest = z.strictObject({
  status: z.enum(replayableStatuses),
  created_after: z.optional(instant),
  created_before: z.optional(instant),
  source_webhook_id: z.optional(z.string().check(webhookIdForm)),
  event_type: z.optional(z.enum(replayableTypes)),
  response: z.optional(z.enum(replayableResponses)),
  delivery_ids: z.optional(
    z.array(z.string().check(deliveryIdForm)).check(z.minLength(1), z.maxLength(limits.replayedDeliveries)),
  ),
  rate: z._default(rate, limits.replayRateDefault),
});

const hasBeginning = z.refine<z.infer<typeof bulkReplayRequest>>(
  ({ created_after, delivery_ids }) => created_after !== undefined || delivery_ids !== undefined,
  { path: ['created_after'], message: 'is missing and must be a time, unless `delivery_ids` are given' },
);

const epoch = (time: string | undefined): number | null => (time === undefined ? null : rangeLimit(time));

/** The request with times as epoch milliseconds. */
export const bulkReplayBody = z.pipe(
  bulkReplayRequest.check(hasBeginning),
  z.transform(({ rate, status, response, ...given }) => ({
    selection: {
      status,
      createdAfter: epoch(given.created_after),
      createdBefore: epoch(given.created_before),
      sourceWebhookId: given.source_webhook_id,
      eventType: given.event_type,
      response,
      deliveryIds: given.delivery_ids && [...new Set(given.delivery_ids)],
    },
    rate,
  })),
);

const selectionRecord = z.object({
  status: z.enum(replayableStatuses),
  created_after: z.string(),
  created_before: z.string(),
  source_webhook_id: z.nullable(z.string()),
  event_type: z.nullable(z.enum(replayableTypes)),
  response: z.nullable(z.enum(replayableResponses)),
  delivery_ids: z.nullable(z.array(z.string())),
});

/** The record of a bulk replay in every response. */
export const bulkReplayRecord = z.object({
  id: z.string(),
  webhook_id: z.string(),
  status: z.enum(bulkReplayStatuses),
  deliveries: selectionRecord,
  rate: z.int(),
  requested_by: z.enum(['customer', 'operator']),
  replayed: z.int(),
  skipped: z.int(),
  outcomes: z.nullable(z.object({ delivered: z.int(), failed: z.int(), pending: z.int() })),
  cancel_reason: z.nullable(z.string()),
  created_at: z.string(),
  ended_at: z.nullable(z.string()),
});

/** A job of another release may have an event type that this release does not know. */
export type BulkReplayRecord = Omit<z.infer<typeof bulkReplayRecord>, 'deliveries'> & {
  readonly deliveries: ReturnType<typeof presentSelection>;
};

function presentSelection(selection: ReplaySelection) {
  return {
    status: selection.status,
    created_after: timestamp(selection.createdAfter),
    created_before: timestamp(selection.createdBefore),
    source_webhook_id: selection.sourceWebhookId ?? null,
    event_type: selection.eventType ?? null,
    response: selection.response ?? null,
    delivery_ids: selection.deliveryIds ?? null,
  };
}

export function presentBulkReplay(job: CountedReplay): BulkReplayRecord {
  return {
    id: job.id,
    webhook_id: job.webhookId,
    status: job.status,
    deliveries: presentSelection(job.selection),
    rate: job.rate,
    requested_by: job.requestedBy.by,
    replayed: job.replayed,
    skipped: job.skipped,
    outcomes: job.outcomes,
    cancel_reason: job.cancelReason,
    created_at: timestamp(idTime(job.id)),
    ended_at: timestampOrNull(job.endedAt),
  };
}

/** The record of a plan. */
export const bulkReplayPlanRecord = z.object({
  deliveries: z.int(),
  already_replayed: z.int(),
  oldest_created_at: z.nullable(z.string()),
  newest_created_at: z.nullable(z.string()),
  seconds: z.int(),
  complete: z.boolean(),
});

export function presentBulkReplayPlan(plan: Omit<BulkReplayPlan, 'endpoints'>): z.infer<typeof bulkReplayPlanRecord> {
  return {
    deliveries: plan.deliveries,
    already_replayed: plan.replayedEarlier,
    oldest_created_at: timestampOrNull(plan.oldest),
    newest_created_at: timestampOrNull(plan.newest),
    seconds: Math.ceil(plan.durationMs / 1000),
    complete: plan.complete,
  };
}

import * as z from 'zod/mini';
import { instant } from '#shared/contract/instant.ts';
import { limits } from '#shared/contract/limits.ts';
import { timestamp, timestampOrNull } from '#shared/contract/timestamp.ts';
import { type BulkReplay, bulkReplayStatuses, replayableStatuses } from '#shared/domain/bulk-replay.ts';
import type { BulkReplayPlan } from '#shared/domain/bulk-replay-plan.ts';
import { idTime } from '#shared/domain/ids.ts';

const rateRule = `must be a whole number from 1 to ${limits.replayRateMax}`;
const rate = z.int(rateRule).check(z.minimum(1, rateRule), z.maximum(limits.replayRateMax, rateRule));

/** Body of a request for a bulk replay, and of one for its plan. */
export const bulkReplayRequest = z.object({
  status: z.enum(replayableStatuses),
  created_after: instant,
  created_before: z.optional(instant),
  rate: z._default(rate, limits.replayRateDefault),
});

/** The request with times as epoch milliseconds. */
export const bulkReplayBody = z.pipe(
  bulkReplayRequest,
  z.transform(({ status, created_after, created_before, rate }) => ({
    selection: {
      status,
      createdAfter: Date.parse(created_after),
      createdBefore: created_before === undefined ? null : Date.parse(created_before),
    },
    rate,
  })),
);

const selectionRecord = z.object({
  status: z.enum(replayableStatuses),
  created_after: z.string(),
  created_before: z.string(),
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
  cancel_reason: z.nullable(z.string()),
  created_at: z.string(),
  ended_at: z.nullable(z.string()),
});

export type BulkReplayRecord = z.infer<typeof bulkReplayRecord>;

export function presentBulkReplay(job: BulkReplay): BulkReplayRecord {
  return {
    id: job.id,
    webhook_id: job.webhookId,
    status: job.status,
    deliveries: {
      status: job.selection.status,
      created_after: timestamp(job.selection.createdAfter),
      created_before: timestamp(job.selection.createdBefore),
    },
    rate: job.rate,
    requested_by: job.requestedBy.by,
    replayed: job.replayed,
    skipped: job.skipped,
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

export function presentBulkReplayPlan(
  plan: Omit<BulkReplayPlan, 'endpoints'>,
): z.infer<typeof bulkReplayPlanRecord> {
  return {
    deliveries: plan.deliveries,
    already_replayed: plan.replayedEarlier,
    oldest_created_at: timestampOrNull(plan.oldest),
    newest_created_at: timestampOrNull(plan.newest),
    seconds: Math.ceil(plan.durationMs / 1000),
    complete: plan.complete,
  };
}

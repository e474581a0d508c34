import * as z from 'zod/mini';
import { timestamp } from '#shared/contract/timestamp.ts';
import { attemptOutcomes } from '#shared/domain/attempt.ts';
import type { DeliveryStats, StatusCounts } from '#shared/domain/delivery-stats.ts';
import { type StatsWindow, statsWindows } from '#shared/domain/stats-window.ts';

/** Query of the figures of an endpoint. */
export const webhookStatsQuery = z.object({ window: z._default(z.enum(statsWindows), '24h') });

export const outcomeCountsRecord = z.object({ pending: z.int(), delivered: z.int(), failed: z.int() });

export const statsWindowRecord = z.object({
  length: z.enum(statsWindows),
  created_after: z.string(),
  computed_at: z.string(),
  deliveries: z.int(),
  older_left_out: z.boolean(),
  sampled: z.boolean(),
});

export const responseTimesRecord = z.object({ p50: z.int(), p95: z.int() });

export const failureCountRecord = z.object({
  outcome: z.enum(attemptOutcomes),
  response_status: z.nullable(z.int()),
  attempts: z.int(),
});

export const outcomeBucketRecord = z.object({
  created_after: z.string(),
  ...outcomeCountsRecord.shape,
  replays: outcomeCountsRecord,
});

/** The figures of an endpoint over a time. */
export const webhookStatsRecord = z.object({
  webhook_id: z.string(),
  window: statsWindowRecord,
  deliveries: outcomeCountsRecord,
  replays: outcomeCountsRecord,
  delivered_share: z.nullable(z.number()),
  response_ms: z.nullable(responseTimesRecord),
  failed_attempts: z.array(failureCountRecord),
  bucket_seconds: z.int(),
  buckets: z.array(outcomeBucketRecord),
});

type Documented = z.infer<typeof webhookStatsRecord>;
/** An attempt of another release may have an outcome that this release does not know. */
export type WebhookStatsRecord = Omit<Documented, 'failed_attempts'> & {
  readonly failed_attempts: readonly (Omit<Documented['failed_attempts'][number], 'outcome'> & {
    readonly outcome: string;
  })[];
};

/** The figures with their window, and what they leave out. */
export type WebhookStats = DeliveryStats & {
  readonly window: StatsWindow;
  readonly olderLeftOut: boolean;
  readonly sampled: boolean;
};

export function presentWebhookStats(webhookId: string, stats: WebhookStats): WebhookStatsRecord {
  const { window, counts, replays, olderLeftOut, sampled } = stats;
  return {
    webhook_id: webhookId,
    window: {
      length: window.name,
      created_after: timestamp(window.from),
      computed_at: timestamp(window.to),
      deliveries: counts.pending + counts.delivered + counts.failed,
      older_left_out: olderLeftOut,
      sampled,
    },
    deliveries: presentCounts(counts),
    replays: presentCounts(replays),
    delivered_share: stats.deliveredShare,
    response_ms: stats.responseTimes,
    failed_attempts: stats.failures.map(({ outcome, responseStatus, attempts }) => ({
      outcome,
      response_status: responseStatus,
      attempts,
    })),
    bucket_seconds: window.bucketLength / 1_000,
    buckets: stats.buckets.map((bucket) => ({
      created_after: timestamp(bucket.from),
      ...presentCounts(bucket.counts),
      replays: presentCounts(bucket.replays),
    })),
  };
}

function presentCounts({ pending, delivered, failed }: StatusCounts) {
  return { pending, delivered, failed };
}

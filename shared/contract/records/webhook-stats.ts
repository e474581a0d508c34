import * as z from 'zod/mini';
import { timestamp, timestampOrNull } from '#shared/contract/timestamp.ts';
import { attemptOutcomes } from '#shared/domain/attempt.ts';
import type { StatusCounts, WebhookStats } from '#shared/domain/delivery-stats.ts';

export const outcomeCountsRecord = z.object({ pending: z.int(), delivered: z.int(), failed: z.int() });

export const statsWindowRecord = z.object({
  created_after: z.nullable(z.string()),
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

export const outcomeBucketRecord = z.object({ created_after: z.string(), ...outcomeCountsRecord.shape });

/** The figures of an endpoint over its newest deliveries. */
export const webhookStatsRecord = z.object({
  webhook_id: z.string(),
  window: statsWindowRecord,
  deliveries: outcomeCountsRecord,
  delivered_share: z.nullable(z.number()),
  response_ms: z.nullable(responseTimesRecord),
  failed_attempts: z.array(failureCountRecord),
  bucket_seconds: z.nullable(z.int()),
  buckets: z.array(outcomeBucketRecord),
});

type Documented = z.infer<typeof webhookStatsRecord>;
/** An attempt of another release may have an outcome that this release does not know. */
export type WebhookStatsRecord = Omit<Documented, 'failed_attempts'> & {
  readonly failed_attempts: readonly (Omit<Documented['failed_attempts'][number], 'outcome'> & {
    readonly outcome: string;
  })[];
};

export function presentWebhookStats(webhookId: string, stats: WebhookStats): WebhookStatsRecord {
  const { from, to, deliveries, olderLeftOut, sampled, counts, bucketLength } = stats;
  return {
    webhook_id: webhookId,
    window: {
      created_after: timestampOrNull(from),
      computed_at: timestamp(to),
      deliveries,
      older_left_out: olderLeftOut,
      sampled,
    },
    deliveries: presentCounts(counts),
    delivered_share: stats.deliveredShare,
    response_ms: stats.responseTimes,
    failed_attempts: stats.failures.map(({ outcome, responseStatus, attempts }) => ({
      outcome,
      response_status: responseStatus,
      attempts,
    })),
    bucket_seconds: bucketLength === null ? null : bucketLength / 1_000,
    buckets: stats.buckets.map((bucket) => ({
      created_after: timestamp(bucket.from),
      ...presentCounts(bucket.counts),
    })),
  };
}

function presentCounts({ pending, delivered, failed }: StatusCounts) {
  return { pending, delivered, failed };
}

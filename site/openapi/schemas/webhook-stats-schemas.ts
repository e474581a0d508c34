import {
  failureCountRecord,
  outcomeBucketRecord,
  outcomeCountsRecord,
  responseTimesRecord,
  statsWindowRecord,
  webhookStatsRecord,
} from '#shared/contract/records/webhook-stats.ts';
import { maxBuckets, statsDeliveries } from '#shared/domain/delivery-stats.ts';
import { count, described, id, time } from '../described.ts';

const countTexts = {
  pending: count('Deliveries that wait for an attempt, or are in one.'),
  delivered: count('Deliveries that were acknowledged.'),
  failed: count('Deliveries that failed, or were not sent because the endpoint was deleted.'),
};

export const webhookStatsSchemas = {
  WebhookStats: described(webhookStatsRecord, 'How the newest deliveries of an endpoint went.', {
    webhook_id: id('webhook', 'The endpoint.'),
    window: 'Which deliveries the figures are of.',
    deliveries: 'The deliveries by status.',
    delivered_share: {
      description:
        'The share of `delivered` among the deliveries that ended, from 0 to 1; `null` when none has ended.',
      minimum: 0,
      maximum: 1,
    },
    response_ms:
      'How long the attempts that got a response took, from their start, whatever its status; `null` when none did.',
    failed_attempts: 'The failed attempts by outcome and status, the most frequent first.',
    bucket_seconds: 'The length of a bucket; `null` when there are no deliveries.',
    buckets: {
      description:
        'The deliveries by status and time of creation, oldest first and without gaps. Buckets begin at ' +
        'whole multiples of their length in UTC, so the first may begin before the window.',
      maxItems: maxBuckets,
    },
  }),
  WebhookStatsWindow: described(
    statsWindowRecord,
    'The newest deliveries of an endpoint, in a range of times.',
    {
      created_after: time('When the oldest of them was created; `null` when there are none.'),
      computed_at: time('When the figures were computed.'),
      deliveries: { ...count('The number of deliveries looked at.'), maximum: statsDeliveries },
      older_left_out: 'Whether older deliveries are left out.',
      sampled:
        'Whether deliveries of the window are left out too, which happens only to an endpoint that the operator has ' +
        'spread wide for very many events.',
    },
  ),
  DeliveryCounts: described(outcomeCountsRecord, 'Numbers of deliveries by status.', countTexts),
  ResponseTimes: described(responseTimesRecord, 'Milliseconds of attempts that got a response.', {
    p50: count('Half of the attempts took at most this long.'),
    p95: count('95 of 100 attempts took at most this long.'),
  }),
  FailedAttempts: described(failureCountRecord, 'Attempts that failed for the same reason.', {
    outcome: 'The result of these attempts.',
    response_status: 'The status of the responses; `null` when none arrived.',
    attempts: { description: 'Their number.', minimum: 1 },
  }),
  OutcomeBucket: described(outcomeBucketRecord, 'The deliveries that were created in a span of time.', {
    created_after: time('The beginning of the span. It ends with the next bucket.'),
    ...countTexts,
  }),
} as const;

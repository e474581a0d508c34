import {
  failureCountRecord,
  outcomeBucketRecord,
  outcomeCountsRecord,
  responseTimesRecord,
  statsWindowRecord,
  webhookStatsRecord,
} from '#shared/contract/records/webhook-stats.ts';
import { windowBuckets } from '#shared/domain/stats-window.ts';
import { count, described, id, time } from '../described.ts';

const countTexts = {
  pending: count('Deliveries that wait for an attempt, or are in one.'),
  delivered: count('Deliveries that were acknowledged.'),
  failed: count('Deliveries that failed, or were not sent because the endpoint was deleted.'),
};

export const webhookStatsSchemas = {
  WebhookStats: described(
    webhookStatsRecord,
    'How the deliveries of an endpoint went over a time. A delivery belongs to the time of its creation. All figures ' +
      'but `replays` are of first deliveries, so that a replay changes none of them.',
    {
      webhook_id: id('webhook', 'The endpoint.'),
      window: 'Which deliveries the figures are of.',
      deliveries: 'The deliveries by status, without replays.',
      replays: 'The replays by status.',
      delivered_share: {
        description:
          'The share of `delivered` among the deliveries that ended, from 0 to 1; `null` when none has ended.',
        minimum: 0,
        maximum: 1,
      },
      response_ms:
        'How long the attempts that got a response took, from their start, whatever its status; `null` when none did.',
      failed_attempts: 'The failed attempts by outcome and status, the most frequent first.',
      bucket_seconds: { description: 'The length of a bucket.', minimum: 1 },
      buckets: {
        description:
          'The deliveries by status and time of creation, oldest first and without gaps. Buckets begin at ' +
          'whole multiples of their length in UTC, and the last one has not ended.',
        minItems: windowBuckets,
        maxItems: windowBuckets,
      },
    },
  ),
  WebhookStatsWindow: described(statsWindowRecord, 'A time that ends now.', {
    length: 'The length that was asked for.',
    created_after: time('When the window begins: with its first bucket.'),
    computed_at: time('When the figures were computed.'),
    deliveries: count('The number of deliveries, without replays.'),
    older_left_out: 'Whether older deliveries are stored.',
    sampled:
      'Whether numbers are estimates, because the window has more deliveries than one request reads: the times with ' +
      'many deliveries are then counted by samples.',
  }),
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
    replays: 'The replays by status, which the other numbers leave out.',
  }),
} as const;

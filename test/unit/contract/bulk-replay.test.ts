import { expect, it } from 'vitest';
import { bulkReplayBody, presentBulkReplay, presentBulkReplayPlan } from '#shared/contract/records/bulk-replay.ts';
import {
  buildBulkReplay,
  deliveryIdNumber,
  otherWebhookId,
  startOfTest,
  webhookId,
} from '../../support/values/builders.ts';

const timeAt = (offset: number) => new Date(startOfTest + offset).toISOString();

it.each([
  ['status', { status: 'pending' }],
  ['created_after', { created_after: undefined }],
  ['created_after', { created_after: '2026-01-01' }],
  ['rate', { rate: 0 }],
  ['rate', { rate: 0.5 }],
  ['rate', { rate: 26 }],
  ['event_type', { event_type: 'webhook.test' }],
  ['response', { response: 'rejected' }],
  ['delivery_ids', { delivery_ids: [] }],
  ['delivery_ids', { delivery_ids: Array.from({ length: 101 }, () => deliveryIdNumber(1)) }],
])('the request for a bulk replay refuses at %s: %o', (name, wrong) => {
  const request = { status: 'failed', created_after: '2026-11-20T12:00:00Z', rate: 25 };

  expect(bulkReplayBody.safeParse(request).success).toBe(true);
  expect(bulkReplayBody.safeParse({ ...request, ...wrong }).error?.issues).toMatchObject([{ path: [name] }]);
});

it('the request for a bulk replay needs no beginning when it names the deliveries, each of which counts once', () => {
  const id = deliveryIdNumber(1);
  const request = { status: 'failed', delivery_ids: [id, id], created_before: new Date(startOfTest) };

  expect(bulkReplayBody.parse(JSON.parse(JSON.stringify(request))).selection).toMatchObject({
    createdAfter: null,
    createdBefore: startOfTest,
    deliveryIds: [id],
  });
});

it.each([
  [0, 0],
  [1, 1],
  [1_000, 1],
  [1_001, 2],
])('a plan that takes %i ms shows %i seconds, and its numbers and times by their names', (durationMs, seconds) => {
  const [oldest, newest] = [startOfTest, startOfTest + 1];

  expect(
    presentBulkReplayPlan({ deliveries: 5, replayedEarlier: 3, oldest, newest, durationMs, complete: false }),
  ).toEqual({
    deliveries: 5,
    already_replayed: 3,
    oldest_created_at: timeAt(0),
    newest_created_at: timeAt(1),
    seconds,
    complete: false,
  });
});

it('a job shows what it selects, its numbers and its times by their names', () => {
  const deliveryIds = [deliveryIdNumber(1)];
  const times = { createdAfter: startOfTest - 3, createdBefore: startOfTest - 2 };
  const chosen = { eventType: 'tracker.changed', response: 'timed_out', deliveryIds } as const;
  const selection = { status: 'delivered', ...times, sourceWebhookId: otherWebhookId, ...chosen } as const;
  const job = buildBulkReplay({ selection, rate: 7 });
  const outcomes = { delivered: 3, failed: 2, pending: 1 };
  const ended = { status: 'cancelled', cancelReason: 'requested', endedAt: startOfTest + 1 } as const;

  expect(presentBulkReplay({ ...job, replayed: 6, skipped: 5, outcomes, ...ended })).toEqual({
    id: job.id,
    webhook_id: webhookId,
    status: 'cancelled',
    deliveries: {
      status: 'delivered',
      created_after: timeAt(-3),
      created_before: timeAt(-2),
      source_webhook_id: otherWebhookId,
      event_type: 'tracker.changed',
      response: 'timed_out',
      delivery_ids: deliveryIds,
    },
    rate: 7,
    requested_by: 'customer',
    replayed: 6,
    skipped: 5,
    outcomes,
    cancel_reason: 'requested',
    created_at: timeAt(0),
    ended_at: timeAt(1),
  });
});

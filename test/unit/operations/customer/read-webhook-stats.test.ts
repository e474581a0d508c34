import { expect, it } from 'vitest';
import { presentWebhookStats, webhookStatsRecord } from '#shared/contract/records/webhook-stats.ts';
import { readWebhookStats } from '#shared/operations/customer/read-webhook-stats.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import {
  acknowledgedAttempt,
  buildDelivery,
  buildEndpoint,
  customerId,
  rejectedAttempt,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

it('the figures are of the newest deliveries of the endpoint, and say what they leave out', async () => {
  const endpoint = buildEndpoint();
  const log = [rejectedAttempt, acknowledgedAttempt];
  const read = readWebhookStats({
    now: () => startOfTest + 1_499,
    readEndpoint: async () => endpoint,
    readRecentDeliveries: async (of) => {
      expect(of).toEqual(endpoint);
      const deliveries = [buildDelivery({ status: 'delivered', log })];
      return { deliveries, olderLeftOut: true, sampled: false };
    },
  });

  const record = presentWebhookStats(webhookId, await read(customerId, webhookId));

  expect(record).toEqual({
    webhook_id: webhookId,
    window: {
      created_after: '2026-11-20T12:00:00.501Z',
      computed_at: '2026-11-20T12:00:01.999Z',
      deliveries: 1,
      older_left_out: true,
      sampled: false,
    },
    deliveries: { pending: 0, delivered: 1, failed: 0 },
    delivered_share: 1,
    response_ms: { p50: 61, p95: 184 },
    failed_attempts: [{ outcome: 'rejected', response_status: 500, attempts: 1 }],
    bucket_seconds: 1,
    buckets: [
      { created_after: '2026-11-20T12:00:00.000Z', pending: 0, delivered: 1, failed: 0 },
      { created_after: '2026-11-20T12:00:01.000Z', pending: 0, delivered: 0, failed: 0 },
    ],
  });
  expect(webhookStatsRecord.parse(record)).toEqual(record);
});

it('an endpoint of another customer is not found, and nothing of it is read', async () => {
  const read = readWebhookStats({
    now: unexpected('now'),
    readEndpoint: async () => null,
    readRecentDeliveries: unexpected('readRecentDeliveries'),
  });

  await expect(read(customerId, webhookId)).rejects.toMatchObject({ code: 'not_found' });
});

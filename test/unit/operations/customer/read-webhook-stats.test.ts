import { expect, it } from 'vitest';
import { presentWebhookStats, webhookStatsRecord } from '#shared/contract/records/webhook-stats.ts';
import { readWebhookStats } from '#shared/operations/customer/read-webhook-stats.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import {
  acknowledgedAttempt,
  buildDelivery,
  buildEndpoint,
  customerId,
  rejectedAttempt,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

const request = { customerId, webhookId, window: '1h', payRequest: unexpected('payRequest') } as const;

it('the figures are of the deliveries of the window, and cost nothing more while these are few', async () => {
  const delivery = buildDelivery({ status: 'delivered', log: [rejectedAttempt, acknowledgedAttempt] });
  const read = readWebhookStats({
    now: () => startOfTest + 1_499,
    table: recordStore({ deliveries: [delivery], endpoints: [buildEndpoint()] }).table,
  });

  const record = presentWebhookStats(webhookId, await read(request));

  const none = { pending: 0, delivered: 0, failed: 0 };
  const buckets = Array.from({ length: 24 }, (_, index) => ({
    created_after: new Date(startOfTest - 500 - (23 - index) * 150_000).toISOString(),
    ...none,
    delivered: index === 23 ? 1 : 0,
    replays: none,
  }));
  expect(record).toEqual({
    webhook_id: webhookId,
    window: {
      length: '1h',
      created_after: '2026-11-20T11:02:30.000Z',
      computed_at: '2026-11-20T12:00:01.999Z',
      deliveries: 1,
      older_left_out: false,
      sampled: false,
    },
    deliveries: { ...none, delivered: 1 },
    replays: none,
    delivered_share: 1,
    response_ms: { p50: 61, p95: 184 },
    failed_attempts: [{ outcome: 'rejected', response_status: 500, attempts: 1 }],
    bucket_seconds: 150,
    buckets,
  });
  expect(webhookStatsRecord.parse(record)).toEqual(record);
});

it('an endpoint of another customer is not found, and nothing of it is read', async () => {
  const { table, asked } = recordStore({ endpoints: [buildEndpoint({ customerId: 'cus_other' })] });
  const read = readWebhookStats({ now: () => startOfTest, table });

  await expect(read(request)).rejects.toMatchObject({ code: 'not_found' });
  expect(asked).not.toContain('query DLV');
});

import { describe, expect, it } from 'vitest';
import { claimAttempt, recordAttempt } from '#shared/aws/table/attempts.ts';
import { storeDelivery } from '#shared/aws/table/deliveries.ts';
import { deliveryKey } from '#shared/aws/table/keys.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { digest } from '#shared/domain/derived-id.ts';
import { runCompletedBody, trackerChangedBody } from '#shared/domain/event.ts';
import { makeId } from '#shared/domain/ids.ts';
import { useTable } from '../support/aws/table.ts';
import { itemSize } from '../support/aws/table-item-size.ts';
import { acknowledgedAttempt, buildDelivery, startOfTest } from '../support/values/builders.ts';

const { current } = useTable();

const baseUrl = 'https://a1b2c3d4e5.execute-api.ap-southeast-2.amazonaws.com/production';
const event = { id: makeId('event', startOfTest, digest('event')), createdAt: startOfTest };
const run = {
  id: makeId('run', startOfTest, digest('run')),
  kind: 'creator_videos_with_scores',
  status: 'completed',
  chargeUsd: 12.345678,
  trackerId: null,
} as const;
const trackerRun = { ...run, trackerId: makeId('tracker', startOfTest, digest('tracker')) };

const bodies = [
  { name: 'run.completed', body: runCompletedBody(event, run, baseUrl) },
  { name: 'run.completed of a tracker', body: runCompletedBody(event, trackerRun, baseUrl) },
  {
    name: 'tracker.changed',
    body: trackerChangedBody(
      event,
      trackerRun,
      makeId('changeReport', startOfTest, digest('report')),
      baseUrl,
    ),
  },
];

const claim = {
  fencingToken: Buffer.alloc(9, 255).toString('base64url'),
  leaseUntil: startOfTest + 30_001,
  at: startOfTest + 1,
  latestDue: startOfTest + 1,
};

async function storedSize(delivery: Delivery): Promise<number> {
  const { Item = {} } = await current().client.get({ TableName: current().name, Key: deliveryKey(delivery) });
  return itemSize(Item);
}

describe('a delivery that succeeds at once', () => {
  it.each(bodies)(
    'stays below 1,024 bytes with its expiry and costs three write units: $name',
    async ({ body }) => {
      const delivery = buildDelivery({ body });
      const entry = { ...acknowledgedAttempt, at: startOfTest + 2, durationMs: 9_876 };

      await storeDelivery(current())(delivery, null);
      await claimAttempt(current())(delivery, 1, claim);
      const claimedSize = await storedSize(delivery);
      const retention = { now: () => startOfTest, days: 3650 };
      await recordAttempt({ ...current(), retention })({
        key: delivery,
        attempt: 1,
        fencingToken: claim.fencingToken,
        entry,
        transition: { status: 'delivered', endedAt: startOfTest + 9_879 },
      });

      expect(current().takeWriteUnits()).toBe(3);
      expect(claimedSize).toBeLessThan(1024);
      expect(await storedSize(delivery)).toBeLessThan(1024);
    },
  );
});

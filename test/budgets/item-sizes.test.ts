import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { admitRequest } from '#shared/aws/table/credentials/rate-windows.ts';
import { claimAttempt, recordAttempt } from '#shared/aws/table/deliveries/attempts.ts';
import { storeDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { reserveEndpoint } from '#shared/aws/table/endpoints/endpoint-slots.ts';
import { noteLastDelivery } from '#shared/aws/table/endpoints/endpoints.ts';
import { deliveryKey, type ItemKey, rateWindowKey } from '#shared/aws/table/keys.ts';
import { partitions } from '#shared/contract/table-schema.ts';
import { digest } from '#shared/domain/derived-id.ts';
import { runCompletedBody, trackerChangedBody } from '#shared/domain/event.ts';
import { makeId } from '#shared/domain/ids.ts';
import { rateLimit } from '#shared/domain/rate-window.ts';
import { useTable } from '../support/aws/table.ts';
import { itemSize } from '../support/aws/table-item-size.ts';
import { acknowledgedAttempt, buildDelivery, buildEndpoint, startOfTest } from '../support/values/builders.ts';

const { current } = useTable();

/** A write takes a unit for each of these. */
const unitBytes = 1024;

const storedSize = async (key: ItemKey) => itemSize(await current().readItem(key));

const baseUrl = 'https://a1b2c3d4e5.execute-api.ap-southeast-2.amazonaws.com/production';
const event = { id: makeId('event', startOfTest, digest('event')), createdAt: startOfTest };
const report = makeId('changeReport', startOfTest, digest('report'));
const run = {
  id: makeId('run', startOfTest, digest('run')),
  kind: 'creator_videos_with_scores',
  status: 'completed',
  chargeUsd: 12.345678,
  trackerId: null,
} as const;
const trackerRun = { ...run, trackerId: makeId('tracker', startOfTest, digest('tracker')) };

it.each([
  { name: 'run.completed', body: runCompletedBody(event, run, baseUrl) },
  { name: 'run.completed of a tracker', body: runCompletedBody(event, trackerRun, baseUrl) },
  { name: 'tracker.changed', body: trackerChangedBody(event, trackerRun, report, baseUrl) },
])(
  'a delivery that succeeds at once is smaller than a write unit, with its claim and with its expiry: $name',
  async ({ body }) => {
    const delivery = buildDelivery({ body });
    const fencingToken = Buffer.alloc(9, 255).toString('base64url');
    const lease = { fencingToken, leaseUntil: startOfTest + 30_001, latestDue: startOfTest + 1 };

    await storeDelivery(current(), delivery, null);
    await claimAttempt(current(), delivery, 1, lease);
    const claimedSize = await storedSize(deliveryKey(delivery));
    const retention = { now: () => startOfTest, days: 3650 };
    await recordAttempt(
      { ...current(), retention },
      {
        key: delivery,
        attempt: 1,
        fencingToken,
        entry: { ...acknowledgedAttempt, at: startOfTest + 2, durationMs: 9_876 },
        transition: { status: 'delivered', endedAt: startOfTest + 9_879 },
      },
    );

    expect(claimedSize).toBeLessThan(unitBytes);
    expect(await storedSize(deliveryKey(delivery))).toBeLessThan(unitBytes);
  },
);

it('the window of a credential takes one write unit for an admitted request, whatever it holds', async () => {
  const key = rateWindowKey(makeId('apiKey', startOfTest, randomBytes(10)));
  const credentialId = key.pk.slice(partitions.rateWindow.length);
  const units: number[] = [];
  const sizes: number[] = [];
  current().takeWriteUnits();

  for (let index = 0; index < 2 * rateLimit + 2; index += 1) {
    // No time ends in zeros, which would take less room. A try that was refused is not charged by the emulator.
    const now = startOfTest + 1 + index * 1010;
    await admitRequest(current(), { credentialId, now, mark: String(index).padStart(12, '0') });
    units.push(current().takeWriteUnits());
    sizes.push(await storedSize(key));
  }

  expect(units).toEqual(units.map(() => 1));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(unitBytes);
});

// Rare, so no event of units.test.ts makes this write.
it('to note the last attempt of an endpoint takes one write unit', async () => {
  const endpoint = buildEndpoint();
  await reserveEndpoint(current(), endpoint, buildDelivery());
  current().takeWriteUnits();

  await noteLastDelivery(current(), endpoint, startOfTest + 120_000);

  expect(current().takeWriteUnits()).toBe(1);
});

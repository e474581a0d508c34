import { describe, expect, it } from 'vitest';
import { cancelDelivery, claimAttempt, recordAttempt } from '#shared/aws/table/attempts.ts';
import { storeDelivery } from '#shared/aws/table/deliveries.ts';
import { waitingShards } from '#shared/aws/table/keys.ts';
import { deferDue, listOverdue } from '#shared/aws/table/waiting.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { Overdue } from '#shared/operations/delivery/sweep-waiting.ts';
import { useTable } from '../support/aws/table.ts';
import {
  acknowledgedAttempt,
  buildDelivery,
  rejectedAttempt,
  startOfTest,
} from '../support/values/builders.ts';

const { current } = useTable();

const keyOf = ({ customerId, webhookId, id }: Delivery) => ({ customerId, webhookId, id });

async function waitingDeliveries(count: number): Promise<readonly Delivery[]> {
  const deliveries = Array.from({ length: count }, (_, number) => buildDelivery({}, number));
  await Promise.all(
    deliveries.map((delivery, number) => storeDelivery(current())(delivery, startOfTest + number)),
  );
  return deliveries;
}

async function overdueBefore(before: number): Promise<readonly Overdue[]> {
  const shards = Array.from({ length: waitingShards }, (_, shard) =>
    listOverdue(current())(shard, before, 100, null),
  );
  return (await Promise.all(shards)).flatMap(({ overdue }) => overdue);
}

async function attempted(delivery: Delivery, retryAt: number | null) {
  const fencingToken = 'ours';
  await claimAttempt(current())(delivery, 1, {
    fencingToken,
    leaseUntil: startOfTest + 30_000,
    latestDue: startOfTest,
  });
  await recordAttempt(current())({
    key: delivery,
    attempt: 1,
    fencingToken,
    entry: retryAt === null ? acknowledgedAttempt : rejectedAttempt,
    transition:
      retryAt === null ? { status: 'delivered', endedAt: startOfTest } : { status: 'pending', retryAt },
  });
}

describe('listOverdue()', () => {
  it('finds every delivery that was due before a time, once, over all shards', async () => {
    const deliveries = await waitingDeliveries(30);

    const overdue = await overdueBefore(startOfTest + 20);

    const expected = deliveries
      .slice(0, 20)
      .map((delivery, number) => ({ ...keyOf(delivery), dueAt: startOfTest + number }));
    expect([...overdue].sort((a, b) => a.dueAt - b.dueAt)).toEqual(expected);
  });

  it('gives the oldest of a shard first, at most as many as asked for', async () => {
    await waitingDeliveries(60);

    const { overdue: all } = await listOverdue(current())(0, startOfTest + 60, 100, null);
    const { overdue: some } = await listOverdue(current())(0, startOfTest + 60, 2, null);

    expect(all.length).toBeGreaterThan(2);
    expect(all.map(({ dueAt }) => dueAt)).toEqual(all.map(({ dueAt }) => dueAt).sort((a, b) => a - b));
    expect(some).toEqual(all.slice(0, 2));
  });

  it('knows nothing of a delivery that only the queue carries', async () => {
    await storeDelivery(current())(buildDelivery(), null);

    expect(await overdueBefore(startOfTest + 1e9)).toEqual([]);
  });

  it('knows a failed attempt by the time of the next one, until the delivery ends', async () => {
    const waits = buildDelivery({}, 1);
    const ends = buildDelivery({}, 2);
    await storeDelivery(current())(waits, null);
    await storeDelivery(current())(ends, startOfTest);

    await attempted(waits, startOfTest + 600_000);
    await attempted(ends, null);

    expect(await overdueBefore(startOfTest + 600_000)).toEqual([]);
    expect(await overdueBefore(startOfTest + 600_001)).toEqual([
      { ...keyOf(waits), dueAt: startOfTest + 600_000 },
    ]);

    await cancelDelivery(current())(waits, 'endpoint_deleted', startOfTest);

    expect(await overdueBefore(startOfTest + 600_001)).toEqual([]);
  });
});

describe('deferDue()', () => {
  it('moves a wake-up and answers the delivery as it is', async () => {
    const [delivery] = await waitingDeliveries(1);
    const [overdue] = await overdueBefore(startOfTest + 1);
    if (overdue === undefined) throw new Error('Nothing is overdue');

    expect(await deferDue(current())(overdue, startOfTest + 900_000)).toEqual(delivery);

    expect(await overdueBefore(startOfTest + 900_000)).toEqual([]);
    expect(await overdueBefore(startOfTest + 900_001)).toEqual([
      { ...overdue, dueAt: startOfTest + 900_000 },
    ]);
  });

  it('is won by one of two sweeps', async () => {
    await waitingDeliveries(1);
    const [overdue] = await overdueBefore(startOfTest + 1);
    if (overdue === undefined) throw new Error('Nothing is overdue');
    const postpone = deferDue(current());

    const postponed = await Promise.all([
      postpone(overdue, startOfTest + 900_000),
      postpone(overdue, startOfTest + 900_001),
    ]);

    expect(postponed.filter((delivery) => delivery !== null)).toHaveLength(1);
  });

  it('leaves a delivery alone that ended since it was listed', async () => {
    const [delivery] = await waitingDeliveries(1);
    const [overdue] = await overdueBefore(startOfTest + 1);
    if (overdue === undefined || delivery === undefined) throw new Error('Nothing is overdue');
    await attempted(delivery, null);

    expect(await deferDue(current())(overdue, startOfTest + 900_000)).toBeNull();

    expect(await overdueBefore(startOfTest + 1e9)).toEqual([]);
  });

  it('leaves a wake-up alone that an attempt has moved on', async () => {
    const [delivery] = await waitingDeliveries(1);
    const [overdue] = await overdueBefore(startOfTest + 1);
    if (overdue === undefined || delivery === undefined) throw new Error('Nothing is overdue');
    await attempted(delivery, startOfTest + 600_000);

    expect(await deferDue(current())(overdue, startOfTest + 900_000)).toBeNull();

    expect(await overdueBefore(startOfTest + 600_001)).toMatchObject([{ dueAt: startOfTest + 600_000 }]);
  });
});

import { beforeEach, expect, it } from 'vitest';
import { chunks } from '#shared/domain/chunks.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { walkPages } from '../support/operations/walk-pages.ts';
import type { TablePorts } from '../support/table/table-ports.ts';
import { buildDelivery, startOfTest } from '../support/values/builders.ts';
import { attemptFirst, keyOf, overdueBefore, retryAt } from './first-attempt.ts';

/** What the index of waiting deliveries owes the sweep. */
export function waitingSuite(connect: () => TablePorts): void {
  let ports: TablePorts;
  beforeEach(() => {
    ports = connect();
  });

  const overdue = (before: number) => overdueBefore(ports, before);
  const store = (number: number, dueAt: number | null) => ports.storeDelivery(buildDelivery({}, number), dueAt);
  const attempt = (delivery: Delivery, isLast: boolean) => attemptFirst(ports, delivery, isLast);
  const onlyOverdue = async () => {
    const [found] = await overdue(Number.MAX_SAFE_INTEGER / 1000);
    if (found === undefined) throw new Error('Nothing is overdue');
    return found;
  };

  it('listOverdue() finds what was due before a time, and nothing that the queue alone knows', async () => {
    const waiting = await Promise.all(Array.from({ length: 30 }, (_, number) => store(number, startOfTest + number)));
    await store(30, null);

    const all = waiting.map((delivery, number) => ({ ...keyOf(delivery), dueAt: startOfTest + number }));
    expect(await overdue(startOfTest)).toEqual([]);
    expect(await overdue(startOfTest + 20)).toEqual(all.slice(0, 20));
    expect(await overdue(startOfTest + 99)).toEqual(all);
  });

  /** Stores many that are due, some at the same time, and reads a shard of them. */
  const fillShard = async () => {
    await Promise.all(Array.from({ length: 60 }, (_, number) => store(number, startOfTest - (number % 3))));
    return await ports.listOverdue(0, startOfTest + 1, 100, null);
  };

  it('listOverdue() goes on after a page, also when its last row has been moved since', async () => {
    const { overdue: all, next: end } = await fillShard();
    const { next: behindFirst } = await ports.listOverdue(0, startOfTest + 1, 1, null);
    const { overdue, next: behindSecond } = await ports.listOverdue(0, startOfTest + 1, 2, null);
    const second = overdue[1];
    if (second === undefined) throw new Error('The shard has too few rows');
    await ports.deferDue(second, retryAt);

    const rest = { overdue: all.slice(2), next: null };
    expect(end).toBeNull();
    expect(await ports.listOverdue(0, startOfTest + 1, 100, behindFirst)).toEqual(rest);
    expect(await ports.listOverdue(0, startOfTest + 1, 100, behindSecond)).toEqual(rest);
  });

  it('listOverdue() gives the oldest of a shard, as many as asked for, and ends a walk in pages of any size', async () => {
    const { overdue: all } = await fillShard();
    expect(all.map(({ dueAt }) => dueAt)).toEqual(all.map(({ dueAt }) => dueAt).toSorted());
    expect(new Set(all.map(({ dueAt }) => dueAt)).size).toBeGreaterThan(1);

    for (const size of [1, 2, 3, all.length]) {
      const pages = await walkPages(async ({ after, limit }) => {
        const { overdue, next } = await ports.listOverdue(0, startOfTest + 1, limit, after);
        return { rows: overdue, next };
      }, size);
      expect(pages.filter((page) => page.length > 0)).toEqual(chunks(all, size));
    }
  });

  it('listOverdue() knows a failed attempt by the time of the next one, and a claimed one as before', async () => {
    const delivery = await store(1, null);
    await attempt(delivery, false);
    const waiting = [{ ...keyOf(delivery), dueAt: retryAt }];
    expect(await overdue(retryAt + 1)).toEqual(waiting);

    const lease = { fencingToken: 'next', leaseUntil: retryAt + 30_000, at: retryAt, latestDue: retryAt };
    await ports.claimAttempt(delivery, 2, lease);

    expect(await overdue(retryAt + 1)).toEqual(waiting);
  });

  it('listOverdue() forgets a delivery that ended, however it did', async () => {
    const [one, other] = await Promise.all([store(1, startOfTest), store(2, startOfTest)]);

    await attempt(one, true);
    await ports.cancelDelivery(other, 'endpoint_deleted', startOfTest);

    expect(await overdue(retryAt)).toEqual([]);
  });

  it('deferDue() moves a wake-up and answers the delivery as it is', async () => {
    const delivery = await store(1, startOfTest);

    expect(await ports.deferDue(await onlyOverdue(), retryAt)).toEqual(delivery);
    expect(await onlyOverdue()).toEqual({ ...keyOf(delivery), dueAt: retryAt });
  });

  it('deferDue() is won by one of two sweeps, and not again by one that saw the earlier due time', async () => {
    await store(1, startOfTest);
    const found = await onlyOverdue();

    const moved = await Promise.all([1, 2].map((later) => ports.deferDue(found, retryAt + later)));

    expect(moved.filter((delivery) => delivery !== null)).toHaveLength(1);
    expect(await ports.deferDue(found, retryAt + 3)).toBeNull();
  });

  it('deferDue() takes its own write for its own when it is repeated', async () => {
    const delivery = await store(1, startOfTest);
    const found = await onlyOverdue();
    await ports.deferDue(found, retryAt);

    expect(await ports.deferDue(found, retryAt)).toEqual(delivery);
  });

  it('deferDue() leaves alone what an attempt has moved or ended since', async () => {
    const moved = await store(1, startOfTest);
    const foundMoved = await onlyOverdue();
    await attempt(moved, false);
    expect(await ports.deferDue(foundMoved, startOfTest + 5)).toBeNull();
    await ports.cancelDelivery(moved, 'endpoint_deleted', startOfTest);
    const ended = await store(2, startOfTest);
    const foundEnded = await onlyOverdue();
    await attempt(ended, true);

    expect(await ports.deferDue(foundEnded, startOfTest + 5)).toBeNull();
    expect(await overdue(retryAt + 1)).toEqual([]);
  });
}

import { describe, expect, it } from 'vitest';
import type { Delivery, DueAttempt } from '#shared/domain/delivery.ts';
import { sweepGrace, sweepWaiting } from '#shared/operations/delivery/sweep-waiting.ts';
import { type Io, immediateIo } from '../../../support/memory/io.ts';
import { MemoryTable } from '../../../support/memory/memory-table.ts';
import { deferDue, listOverdue } from '../../../support/memory/waiting.ts';
import { createClock, createReports } from '../../../support/operations/deps.ts';
import {
  buildDelivery,
  customerId,
  deliveryIdNumber,
  hour,
  minute,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

type Deps = Parameters<typeof sweepWaiting>[0];

const always = () => true;
const waiting = (number: number, given: Partial<Delivery> = {}) =>
  buildDelivery({ id: deliveryIdNumber(number), attempts: 1, retryAt: startOfTest, ...given });
const numbered = (count: number) => Array.from({ length: count }, (_, index) => waiting(index));

const overdueSince = startOfTest - hour;

/** The index lags by more than the sweep takes: it shows a row at the place it had before it was postponed. */
function createWorld(deliveries: readonly Delivery[], deps: Partial<Deps> = {}) {
  const clock = createClock(startOfTest - 1);
  const table = new MemoryTable(clock.now);
  for (const delivery of deliveries) table.putDelivery(delivery, overdueSince);
  clock.pass(1);
  const lateIo: Io = async (_request, effect) => effect(1);
  const { shards = 1 } = deps;
  const list = listOverdue(table, lateIo, shards);
  const postpone = deferDue(table, immediateIo);
  const reports = createReports();
  const queued: DueAttempt[] = [];
  const postponed: { readonly id: string; readonly until: number }[] = [];
  const lists: { readonly shard: number; readonly before: number }[] = [];
  const sweep = sweepWaiting({
    now: clock.now,
    shards,
    report: reports.report,
    listOverdue: async (shard, before, limit, after) => {
      lists.push({ shard, before });
      return list(shard, before, limit, after);
    },
    deferDue: async (overdue, until) => {
      postponed.push({ id: overdue.id, until });
      return postpone(overdue, until);
    },
    enqueueAttempts: async (due) => {
      queued.push(...due);
      return [];
    },
    ...deps,
  });
  return { table, postpone, queued, postponed, lists, events: reports.events, sweep };
}

const due = (number: number, attempt: number) => ({
  key: { customerId, webhookId, id: deliveryIdNumber(number) },
  attempt,
});

describe('sweepWaiting()', () => {
  it('reports how many it queued, and for how long the oldest of all shards had been overdue', async () => {
    const ages = [2 * hour, 3 * hour];
    const world = createWorld([waiting(1), waiting(2)], {
      shards: 2,
      listOverdue: async (shard) => {
        const dueAt = startOfTest - (ages[shard] ?? 0);
        return { overdue: [{ ...due(shard + 1, 2).key, dueAt }], next: null };
      },
      deferDue: async ({ id }) => (id === deliveryIdNumber(1) ? waiting(1) : waiting(2)),
    });

    await world.sweep(always);

    expect(world.events).toEqual([{ name: 'sweep.done', woken: 2, oldestOverdue: 3 * hour }]);
  });

  it('reports nothing when nothing is overdue', async () => {
    const world = createWorld([]);

    await world.sweep(always);

    expect(world.events).toEqual([]);
  });

  it('queues overdue attempts, and postpones their wake-ups', async () => {
    const world = createWorld([waiting(1), waiting(2, { attempts: 2 })]);

    await expect(world.sweep(always)).resolves.toBe(2);
    expect(world.queued).toEqual([due(1, 2), due(2, 3)]);
    expect(world.postponed).toEqual(
      [1, 2].map((number) => ({ id: deliveryIdNumber(number), until: startOfTest + 15 * minute })),
    );
    expect(world.events).toEqual([{ name: 'sweep.done', woken: 2, oldestOverdue: hour }]);
  });

  it('leaves attempts to their timers for three minutes', async () => {
    const world = createWorld([]);

    await expect(world.sweep(always)).resolves.toBe(0);
    expect(sweepGrace).toBe(3 * minute);
    expect(world.lists).toEqual([{ shard: 0, before: startOfTest - 3 * minute }]);
  });

  it('wakes an attempt in flight, so that an attempt whose worker died is settled', async () => {
    const world = createWorld([
      waiting(1, { attempts: 2, claim: { fencingToken: 't', leaseUntil: startOfTest } }),
    ]);

    await world.sweep(always);

    expect(world.queued).toEqual([due(1, 2)]);
  });

  it('wakes the first attempt of a replay that never reached the queue', async () => {
    const world = createWorld([waiting(1, { attempts: 0, retryAt: null })]);

    await world.sweep(always);

    expect(world.queued).toEqual([due(1, 1)]);
  });

  it('does not wake a delivery that ended or that another sweep moved', async () => {
    const world = createWorld([waiting(1), waiting(2)]);
    world.table.putDelivery(waiting(1, { status: 'failed', retryAt: null, endedAt: startOfTest }), null);
    world.table.putDelivery(waiting(2), startOfTest + 14 * minute);

    await expect(world.sweep(always)).resolves.toBe(0);
    expect(world.postponed).toHaveLength(2);
    expect(world.queued).toEqual([]);
  });

  it('sweeps every shard', async () => {
    const world = createWorld([], { shards: 4 });

    await world.sweep(always);

    expect(world.lists.map(({ shard }) => shard)).toEqual([0, 1, 2, 3]);
  });

  it('continues while pages are full, past rows that the index still shows at their old place', async () => {
    const world = createWorld(numbered(250));

    await expect(world.sweep(always)).resolves.toBe(250);
    expect(world.lists).toHaveLength(3);
    expect(world.postponed).toHaveLength(250);
  });

  it('reads no page when its time is up', async () => {
    const world = createWorld(numbered(250));
    const answers = [true, false];

    await expect(world.sweep(() => answers.shift() === true)).resolves.toBe(100);
    expect(world.lists).toHaveLength(1);
  });

  it('reads one page of each shard in turn', async () => {
    const world = createWorld(numbered(300), { shards: 2 });

    await world.sweep(always);

    expect(world.lists.map(({ shard }) => shard)).toEqual([0, 1, 0, 1]);
  });

  it('postpones at most 25 wake-ups in parallel', async () => {
    let now = 0;
    let most = 0;
    const world: ReturnType<typeof createWorld> = createWorld(numbered(100), {
      deferDue: async (...asked) => {
        now += 1;
        most = Math.max(most, now);
        await Promise.resolve();
        now -= 1;
        return world.postpone(...asked);
      },
    });

    await expect(world.sweep(always)).resolves.toBe(100);
    expect(most).toBe(25);
  });

  it('throws when no wake-up of a page can be moved, after it has tried the later pages', async () => {
    const world: ReturnType<typeof createWorld> = createWorld(numbered(150), {
      deferDue: async (overdue, until) => {
        if (overdue.id < deliveryIdNumber(100)) throw new Error('throttled');
        return world.postpone(overdue, until);
      },
    });

    await expect(world.sweep(always)).rejects.toThrow('throttled');
    expect(world.queued).toHaveLength(50);
  });

  it('reports a delivery that cannot be postponed, and wakes the others', async () => {
    const rows = [waiting(1), waiting(2)];
    const world: ReturnType<typeof createWorld> = createWorld(rows, {
      deferDue: async (overdue, until) => {
        if (overdue.id === deliveryIdNumber(1)) throw new Error('throttled');
        return world.postpone(overdue, until);
      },
    });

    await expect(world.sweep(always)).resolves.toBe(1);
    expect(world.queued).toEqual([due(2, 2)]);
    expect(world.events).toMatchObject([
      {
        name: 'step.failed',
        step: 'sweep',
        delivery: { id: deliveryIdNumber(1) },
        cause: new Error('throttled'),
      },
      { name: 'sweep.done', woken: 1 },
    ]);
  });

  it('reports attempts that the queue refused, and does not count them: the next sweep of them is 15 minutes later', async () => {
    const world = createWorld([waiting(1), waiting(2)], {
      enqueueAttempts: async (messages) => messages.slice(0, 1),
    });

    await expect(world.sweep(always)).resolves.toBe(1);
    expect(world.events).toEqual([
      {
        name: 'step.failed',
        step: 'enqueue',
        delivery: { customerId, webhookId, id: deliveryIdNumber(1) },
        cause: 'refused by the queue',
      },
      { name: 'sweep.done', woken: 1, oldestOverdue: hour },
    ]);
  });

  it('throws when a shard cannot be read, after it has swept the others', async () => {
    const world = createWorld([waiting(1)], {
      shards: 2,
      listOverdue: async (shard) => {
        if (shard === 0) throw new Error('throttled');
        const overdue = [{ customerId, webhookId, id: deliveryIdNumber(1), dueAt: overdueSince }];
        return { overdue, next: null };
      },
    });

    await expect(world.sweep(always)).rejects.toThrow('throttled');
    expect(world.queued).toEqual([due(1, 2)]);
  });

  it('continues after a page without readable rows', async () => {
    const overdue = [{ customerId, webhookId, id: deliveryIdNumber(1), dueAt: overdueSince }];
    const world = createWorld([waiting(1)], {
      listOverdue: async (_shard, _before, _limit, after) =>
        after === null ? { overdue: [], next: 'behind' } : { overdue, next: null },
    });

    await expect(world.sweep(always)).resolves.toBe(1);
  });

  it('throws when the index cannot be read, so that the sweep is retried', async () => {
    const world = createWorld([], { listOverdue: () => Promise.reject(new Error('throttled')) });

    await expect(world.sweep(always)).rejects.toThrow('throttled');
  });
});

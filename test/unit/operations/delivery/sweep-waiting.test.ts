import { describe, expect, it } from 'vitest';
import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { waitingAttributes, waitingPartition } from '#shared/aws/table/keys.ts';
import type { Delivery, DueAttempt } from '#shared/domain/delivery.ts';
import { type DeferDue, sweepGrace, sweepWaiting } from '#shared/operations/delivery/sweep-waiting.ts';
import { createClock, createReports } from '../../../support/operations/deps.ts';
import { askedTable } from '../../../support/table/asked-table.ts';
import type { Io } from '../../../support/table/io.ts';
import { RecordTable } from '../../../support/table/record-table.ts';
import { tablePorts } from '../../../support/table/table-ports.ts';
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
type World = ReturnType<typeof createWorld>;

const throttled = new Error('throttled');
const overdueSince = startOfTest - hour;
const keyOf = (number: number) => ({ customerId, webhookId, id: deliveryIdNumber(number) });
const due = (number: number, attempt: number): DueAttempt => ({ key: keyOf(number), attempt });
const waiting = (number: number, given: Partial<Delivery> = {}) =>
  buildDelivery({ attempts: 1, retryAt: startOfTest, ...given }, number);
const numbered = (count: number) => Array.from({ length: count }, (_, index) => waiting(index));
/** A page of the index with these deliveries. */
const pageOf = (...numbers: readonly number[]) => ({
  overdue: numbers.map((number) => ({ ...keyOf(number), dueAt: overdueSince })),
  next: null,
});

/** The index lags by more than the sweep takes: it shows a row at the place it had before it was postponed. */
function createWorld(deliveries: readonly Delivery[], deps: Partial<Deps> = {}) {
  const clock = createClock(startOfTest - 1);
  const table = new RecordTable(clock.now);
  const { shards = 1 } = deps;
  for (const [index, delivery] of deliveries.entries())
    table.put({
      ...toDeliveryItem(delivery),
      ...waitingAttributes(delivery, overdueSince),
      waiting_pk: waitingPartition(index % shards),
    });
  clock.pass(1);
  const lateIo: Io = async (_request, effect) => effect(1);
  const { listOverdue: list } = tablePorts(askedTable(table, { io: lateIo }));
  const { deferDue: postpone } = tablePorts(askedTable(table));
  const { report, events } = createReports();
  const queued: DueAttempt[] = [];
  const postponed: { readonly id: string; readonly until: number }[] = [];
  const lists: { readonly shard: number; readonly before: number }[] = [];
  const sweep = sweepWaiting({
    now: clock.now,
    shards,
    report,
    listOverdue: async (shard, before, limit, after) => {
      lists.push({ shard, before });
      return list(shard, before, limit, after);
    },
    deferDue: async (overdue, until) => {
      postponed.push({ id: overdue.id, until });
      return postpone(overdue, until);
    },
    enqueueAttempts: async (attempts) => {
      queued.push(...attempts);
      return [];
    },
    ...deps,
  });
  return {
    table,
    postpone,
    queued,
    postponed,
    lists,
    events,
    sweep: (mayGoOn = () => true) => sweep(mayGoOn),
  };
}

/** Fails to postpone the deliveries below a number. */
function failingBelow(number: number, world: () => World): DeferDue {
  return async (overdue, until) => {
    if (overdue.id < deliveryIdNumber(number)) throw throttled;
    return world().postpone(overdue, until);
  };
}

describe('sweepWaiting()', () => {
  it('queues overdue attempts, and postpones their wake-ups', async () => {
    const world = createWorld([waiting(1), waiting(2, { attempts: 2 })]);

    expect(await world.sweep()).toBe(2);
    expect(world.queued).toEqual([due(1, 2), due(2, 3)]);
    const until = startOfTest + 15 * minute;
    expect(world.postponed).toEqual([1, 2].map((number) => ({ id: deliveryIdNumber(number), until })));
    expect(world.events).toEqual([{ name: 'sweep.done', requeued: 2, oldestOverdue: hour }]);
  });

  it('reports for how long the oldest of all shards had been overdue', async () => {
    const ages = [2 * hour, 3 * hour];
    const world = createWorld([waiting(1), waiting(2)], {
      shards: 2,
      listOverdue: async (shard) => ({
        overdue: [{ ...keyOf(shard + 1), dueAt: startOfTest - (ages[shard] ?? 0) }],
        next: null,
      }),
      deferDue: async () => waiting(1),
    });

    await world.sweep();

    expect(world.events).toEqual([{ name: 'sweep.done', requeued: 2, oldestOverdue: 3 * hour }]);
  });

  it('leaves attempts to their timers for three minutes, and reports nothing when none is overdue', async () => {
    const world = createWorld([]);

    expect(await world.sweep()).toBe(0);
    expect(sweepGrace).toBe(3 * minute);
    expect(world.lists).toEqual([{ shard: 0, before: startOfTest - 3 * minute }]);
    expect(world.events).toEqual([]);
  });

  const claim = { fencingToken: 't', leaseUntil: startOfTest };

  it.each([
    ['an attempt in flight, so that an attempt whose worker died is settled', { attempts: 2, claim }, 2],
    ['the first attempt of a replay that never reached the queue', { attempts: 0, retryAt: null }, 1],
  ])('wakes %s', async (_, given, attempt) => {
    const world = createWorld([waiting(1, given)]);

    await world.sweep();

    expect(world.queued).toEqual([due(1, attempt)]);
  });

  // test/ports/waiting-suite.ts has which deliveries can be postponed.
  it('does not wake a delivery that it cannot postpone, because it ended or another sweep moved it', async () => {
    const world = createWorld([waiting(1)], { deferDue: async () => null });

    expect(await world.sweep()).toBe(0);
    expect(world.queued).toEqual([]);
  });

  it('reads one page of each shard in turn', async () => {
    const world = createWorld(numbered(300), { shards: 2 });

    await world.sweep();

    expect(world.lists.map(({ shard }) => shard)).toEqual([0, 1, 0, 1]);
  });

  it('continues while pages are full, past rows that the index still shows at their old place', async () => {
    const world = createWorld(numbered(250));

    expect(await world.sweep()).toBe(250);
    expect(world.lists).toHaveLength(3);
    expect(world.postponed).toHaveLength(250);
  });

  it('continues after a page without readable rows', async () => {
    const world = createWorld([waiting(1)], {
      listOverdue: async (_shard, _before, _limit, after) =>
        after === null ? { overdue: [], next: 'behind' } : pageOf(1),
    });

    expect(await world.sweep()).toBe(1);
  });

  // test/unit/functions/schedules.test.ts has that it begins no page when its time is up.
  it('postpones at most 25 wake-ups in parallel', async () => {
    let parallel = 0;
    let most = 0;
    const world: World = createWorld(numbered(100), {
      deferDue: async (...asked) => {
        parallel += 1;
        most = Math.max(most, parallel);
        await Promise.resolve();
        parallel -= 1;
        return world.postpone(...asked);
      },
    });

    expect(await world.sweep()).toBe(100);
    expect(most).toBe(25);
  });

  it('reports a delivery that cannot be postponed, and wakes the others', async () => {
    const world: World = createWorld([waiting(1), waiting(2)], { deferDue: failingBelow(2, () => world) });

    expect(await world.sweep()).toBe(1);
    expect(world.queued).toEqual([due(2, 2)]);
    expect(world.events).toMatchObject([
      { name: 'step.failed', step: 'sweep', delivery: { id: deliveryIdNumber(1) }, cause: throttled },
      { name: 'sweep.done', requeued: 1 },
    ]);
  });

  it('reports attempts that the queue refused, and does not count them: the next sweep of them is 15 minutes later', async () => {
    const world = createWorld([waiting(1), waiting(2)], {
      enqueueAttempts: async (messages) => messages.slice(0, 1),
    });

    expect(await world.sweep()).toBe(1);
    expect(world.events).toEqual([
      { name: 'step.failed', step: 'enqueue', delivery: keyOf(1), cause: 'refused by the queue' },
      { name: 'sweep.done', requeued: 1, oldestOverdue: hour },
    ]);
  });

  it('throws when no wake-up of a page can be moved, after it has tried the later pages', async () => {
    const world: World = createWorld(numbered(150), { deferDue: failingBelow(100, () => world) });

    await expect(world.sweep()).rejects.toThrow('throttled');
    expect(world.queued).toHaveLength(50);
  });

  it('throws when a shard of the index cannot be read, after it has swept the others: the sweep is retried', async () => {
    const world = createWorld([waiting(1)], {
      shards: 2,
      listOverdue: async (shard) => {
        if (shard === 0) throw throttled;
        return pageOf(1);
      },
    });

    await expect(world.sweep()).rejects.toThrow('throttled');
    expect(world.queued).toEqual([due(1, 2)]);
  });
});

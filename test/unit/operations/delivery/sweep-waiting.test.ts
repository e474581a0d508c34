import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { waitingAttributes, waitingPartition, waitingTime } from '#shared/aws/table/keys.ts';
import type { Delivery, DueAttempt } from '#shared/domain/delivery.ts';
import { sweepGrace } from '#shared/domain/progress.ts';
import { sweepWaiting } from '#shared/operations/delivery/sweep-waiting.ts';
import type { EnqueueAttempts } from '#shared/operations/ports.ts';
import { createClock, createReports } from '../../../support/operations/deps.ts';
import { askedTable } from '../../../support/table/asked-table.ts';
import type { Io, Request } from '../../../support/table/io.ts';
import { RecordTable } from '../../../support/table/record-table.ts';
import {
  buildDelivery,
  customerId,
  deliveryIdNumber,
  hour,
  minute,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

type World = ReturnType<typeof createWorld>;

const throttled = new Error('throttled');
const keyOf = (number: number) => ({ customerId, webhookId, id: deliveryIdNumber(number) });
const due = (number: number, attempt: number): DueAttempt => ({ key: keyOf(number), attempt });
const waiting = (number: number, given: Partial<Delivery> = {}) =>
  buildDelivery({ attempts: 1, retryAt: startOfTest, ...given }, number);
const numbered = (count: number) => Array.from({ length: count }, (_, index) => waiting(index));
const postpones = 'update DLV';
const lists = 'query WAITING';

type Given = {
  readonly shards?: number;
  /** For how long each delivery is overdue; an hour by default. */
  readonly ages?: readonly number[];
  /** Number of rows of the first shard that are overdue for longer and cannot be read; none by default. */
  readonly unreadable?: number;
  /** Called for each request of the table, before it has an effect. Throws to fail it. */
  readonly strike?: (request: Request, world: { readonly table: RecordTable }) => Promise<void> | void;
  readonly enqueueAttempts?: EnqueueAttempts;
};

/** The index lags by more than the sweep takes: it shows a row at the place it had before it was postponed. */
function createWorld(deliveries: readonly Delivery[], given: Given = {}) {
  const { shards = 1, ages = [], unreadable = 0, strike } = given;
  const clock = createClock(startOfTest - 1);
  const table = new RecordTable(clock.now);
  for (const [index, delivery] of deliveries.entries())
    table.put({
      ...toDeliveryItem(delivery),
      ...waitingAttributes(delivery, startOfTest - (ages[index] ?? hour)),
      waiting_pk: waitingPartition(index % shards),
    });
  for (const [number, delivery] of numbered(unreadable + 2)
    .slice(2)
    .entries())
    table.put({ ...toDeliveryItem(delivery), waiting_pk: waitingPartition(0), waiting_sk: `0#${number}` });
  clock.pass(1);
  const requests: Request[] = [];
  const io: Io = async (request, effect) => {
    requests.push(request);
    await strike?.(request, { table });
    return effect(request.name === lists ? 1 : 0);
  };
  const { report, events } = createReports();
  const queued: DueAttempt[] = [];
  const sweep = sweepWaiting({
    table: askedTable(table, { io }),
    now: clock.now,
    shards,
    report,
    enqueueAttempts:
      given.enqueueAttempts ??
      (async (attempts) => {
        queued.push(...attempts);
        return [];
      }),
  });
  return {
    table,
    queued,
    asked: (name: string) => requests.filter((request) => request.name === name),
    events,
    sweep: (mayGoOn = () => true) => sweep(mayGoOn),
  };
}

/** The shards that were listed, in order. */
const listed = (world: World) => world.asked(lists).map(shardOf);

function shardOf({ input }: Request): number {
  const { ExpressionAttributeValues: values } = asQuery.parse(input);
  return [0, 1].findIndex((shard) => values[':shard'] === waitingPartition(shard));
}

const asQuery = z.object({ ExpressionAttributeValues: z.record(z.string(), z.unknown()) });
const asUpdate = z.object({ Key: z.object({ sk: z.string() }) });

/** Fails to postpone the deliveries below a number. */
function failingBelow(number: number): NonNullable<Given['strike']> {
  return ({ name, input }) => {
    if (name === postpones && asUpdate.parse(input).Key.sk < deliveryIdNumber(number)) throw throttled;
  };
}

describe('sweepWaiting()', () => {
  it('queues overdue attempts, and postpones their wake-ups', async () => {
    const world = createWorld([waiting(1), waiting(2, { attempts: 2 })]);

    expect(await world.sweep()).toBe(2);
    expect(world.queued).toEqual([due(1, 2), due(2, 3)]);
    const until = startOfTest + 15 * minute;
    expect([...world.table.deliveries].map(({ dueAt }) => dueAt)).toEqual([until, until]);
    expect(world.events).toEqual([{ name: 'sweep.done', requeued: 2, oldestOverdue: hour }]);
  });

  it('reports for how long the oldest of all shards had been overdue', async () => {
    const world = createWorld([waiting(1), waiting(2)], { shards: 2, ages: [2 * hour, 3 * hour] });

    await world.sweep();

    expect(world.events).toEqual([{ name: 'sweep.done', requeued: 2, oldestOverdue: 3 * hour }]);
  });

  it('leaves attempts to their timers for three minutes, and reports nothing when none is overdue', async () => {
    const world = createWorld([]);

    expect(await world.sweep()).toBe(0);
    expect(sweepGrace).toBe(3 * minute);
    const values = { ':shard': waitingPartition(0), ':before': waitingTime(startOfTest - 3 * minute) };
    expect(world.asked(lists)).toMatchObject([{ input: { ExpressionAttributeValues: values } }]);
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
    const ended = waiting(1, { status: 'delivered', endedAt: startOfTest });
    const world = createWorld([waiting(1)], {
      strike: ({ name }, { table }) => void (name === postpones && table.putDelivery(ended, null)),
    });

    expect(await world.sweep()).toBe(0);
    expect(world.queued).toEqual([]);
  });

  it('reads one page of each shard in turn', async () => {
    const world = createWorld(numbered(300), { shards: 2 });

    await world.sweep();

    expect(listed(world)).toEqual([0, 1, 0, 1]);
  });

  it('continues while pages are full, past rows that the index still shows at their old place', async () => {
    const world = createWorld(numbered(250));

    expect(await world.sweep()).toBe(250);
    expect(listed(world)).toHaveLength(3);
    expect(world.asked(postpones)).toHaveLength(250);
  });

  it('continues after a page without readable rows', async () => {
    const world = createWorld([waiting(1)], { unreadable: 100 });

    expect(await world.sweep()).toBe(1);
    expect(listed(world)).toHaveLength(2);
  });

  // test/unit/functions/schedules.test.ts has that it begins no page when its time is up.
  it('postpones at most 25 wake-ups in parallel', async () => {
    let parallel = 0;
    let most = 0;
    const world = createWorld(numbered(100), {
      strike: async ({ name }) => {
        if (name !== postpones) return;
        parallel += 1;
        most = Math.max(most, parallel);
        await Promise.resolve();
        parallel -= 1;
      },
    });

    expect(await world.sweep()).toBe(100);
    expect(most).toBe(25);
  });

  it('reports a delivery that cannot be postponed, and wakes the others', async () => {
    const world = createWorld([waiting(1), waiting(2)], { strike: failingBelow(2) });

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
    const world = createWorld(numbered(150), { strike: failingBelow(100) });

    await expect(world.sweep()).rejects.toThrow('throttled');
    expect(world.queued).toHaveLength(50);
  });

  it('throws when a shard of the index cannot be read, after it has swept the others: the sweep is retried', async () => {
    const world = createWorld([waiting(1), waiting(2)], {
      shards: 2,
      strike: (request) => {
        if (request.name === lists && shardOf(request) === 0) throw throttled;
      },
    });

    await expect(world.sweep()).rejects.toThrow('throttled');
    expect(world.queued).toEqual([due(2, 2)]);
  });
});

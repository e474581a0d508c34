import { describe, expect, it } from 'vitest';
import type { DeliveryMessage } from '../../../shared/contract/delivery-message.ts';
import type { Delivery } from '../../../shared/domain/delivery.ts';
import { type Overdue, sweepGrace, sweepWaiting } from '../../../shared/operations/sweep-waiting.ts';
import {
  buildDelivery,
  customerId,
  deliveryIdNumber,
  minute,
  startOfTest,
  webhookId,
} from '../../support/builders.ts';
import { createReports } from '../../support/memory-deps.ts';

type Deps = Parameters<typeof sweepWaiting>[0];

const always = () => true;
const waiting = (number: number, given: Partial<Delivery> = {}) =>
  buildDelivery({ id: deliveryIdNumber(number), attempts: 1, retryAt: startOfTest, ...given });
const numbered = (count: number) => Array.from({ length: count }, (_, index) => waiting(index));

/** An index of one shard: a row leaves the front when its wake-up is postponed. */
function createWorld(deliveries: readonly Delivery[], deps: Partial<Deps> = {}) {
  const reports = createReports();
  const queued: DeliveryMessage[] = [];
  const postponed: { readonly id: string; readonly until: number }[] = [];
  const lists: { readonly shard: number; readonly before: number }[] = [];
  const index = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  const sweep = sweepWaiting({
    now: () => startOfTest,
    shards: 1,
    report: reports.report,
    listOverdue: async (shard, before, limit) => {
      lists.push({ shard, before });
      const rows = [...index.values()].slice(0, limit);
      return rows.map((row): Overdue => ({ customerId, webhookId, id: row.id, wakeAt: startOfTest }));
    },
    postponeWake: async ({ id }, until) => {
      const delivery = index.get(id) ?? null;
      index.delete(id);
      postponed.push({ id, until });
      return delivery;
    },
    enqueueDeliveries: async (messages) => {
      queued.push(...messages);
      return [];
    },
    ...deps,
  });
  return { queued, postponed, lists, events: reports.events, sweep };
}

const message = (number: number, attempt: number) => ({
  customer_id: customerId,
  webhook_id: webhookId,
  delivery_id: deliveryIdNumber(number),
  attempt,
});

describe('sweepWaiting()', () => {
  it('wakes what is overdue and looks at it again later', async () => {
    const world = createWorld([waiting(1), waiting(2, { attempts: 2 })]);

    await expect(world.sweep(always)).resolves.toBe(2);
    expect(world.queued).toEqual([message(1, 2), message(2, 3)]);
    expect(world.postponed).toEqual(
      [1, 2].map((number) => ({ id: deliveryIdNumber(number), until: startOfTest + 15 * minute })),
    );
    expect(world.events).toEqual([]);
  });

  it('leaves timers the grace in which they fire', async () => {
    const world = createWorld([]);

    await expect(world.sweep(always)).resolves.toBe(0);
    expect(sweepGrace).toBe(3 * minute);
    expect(world.lists).toEqual([{ shard: 0, before: startOfTest - 3 * minute }]);
  });

  it('wakes the attempt in flight, so that one whose worker died is settled', async () => {
    const world = createWorld([waiting(1, { attempts: 2, claim: { token: 't', leaseUntil: startOfTest } })]);

    await world.sweep(always);

    expect(world.queued).toEqual([message(1, 2)]);
  });

  it('wakes the first attempt of a replay that never reached the queue', async () => {
    const world = createWorld([waiting(1, { attempts: 0, retryAt: null })]);

    await world.sweep(always);

    expect(world.queued).toEqual([message(1, 1)]);
  });

  it('leaves alone what ended or was moved by another sweep', async () => {
    const world = createWorld([waiting(1)], { postponeWake: async () => null });

    await expect(world.sweep(always)).resolves.toBe(0);
    expect(world.queued).toEqual([]);
  });

  it('goes through every shard', async () => {
    const world = createWorld([], { shards: 4 });

    await world.sweep(always);

    expect(world.lists.map(({ shard }) => shard)).toEqual([0, 1, 2, 3]);
  });

  it('goes on while pages are full', async () => {
    const world = createWorld(numbered(250));

    await expect(world.sweep(always)).resolves.toBe(250);
    expect(world.lists).toHaveLength(3);
  });

  it('begins no page when it may not continue', async () => {
    const world = createWorld(numbered(250));

    await expect(world.sweep(() => false)).resolves.toBe(100);
    expect(world.lists).toHaveLength(1);
  });

  it('ends when nothing of a full page moves, instead of reading it for ever', async () => {
    let asked = 0;
    const patience = () => {
      asked += 1;
      return asked < 50;
    };
    const world = createWorld(numbered(100), { postponeWake: () => Promise.reject(new Error('throttled')) });

    await expect(world.sweep(patience)).resolves.toBe(0);
    expect(world.lists).toHaveLength(1);
  });

  it('reports one that cannot be postponed and wakes the others', async () => {
    const rows = [waiting(1), waiting(2)];
    const world = createWorld(rows, {
      postponeWake: async ({ id }) => {
        if (id === deliveryIdNumber(1)) throw new Error('throttled');
        return waiting(2);
      },
    });

    await expect(world.sweep(always)).resolves.toBe(1);
    expect(world.queued).toEqual([message(2, 2)]);
    expect(world.events).toMatchObject([
      {
        name: 'step.failed',
        step: 'sweep',
        delivery: { id: deliveryIdNumber(1) },
        cause: new Error('throttled'),
      },
    ]);
  });

  it('reports what the queue refused and does not count it: the next look is 15 minutes away', async () => {
    const world = createWorld([waiting(1), waiting(2)], {
      enqueueDeliveries: async (messages) => messages.slice(0, 1),
    });

    await expect(world.sweep(always)).resolves.toBe(1);
    expect(world.events).toEqual([
      {
        name: 'step.failed',
        step: 'enqueue',
        delivery: { customerId, webhookId, id: deliveryIdNumber(1) },
        cause: 'refused by the queue',
      },
    ]);
  });

  it('fails when the index cannot be read, so that the sweep is tried again', async () => {
    const world = createWorld([], { listOverdue: () => Promise.reject(new Error('throttled')) });

    await expect(world.sweep(always)).rejects.toThrow('throttled');
  });
});

import { describe, expect, it } from 'vitest';
import type { Delivery, DueAttempt } from '#shared/domain/delivery.ts';
import { deliveryPartition } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { idTime } from '#shared/domain/ids.ts';
import { replayDelivery } from '#shared/operations/customer/replay-delivery.ts';
import type { EnqueueAttempts } from '#shared/operations/ports.ts';
import { memoryStore } from '../../../support/memory/memory-store.ts';
import { countingBytes, createJournal, createReports } from '../../../support/operations/deps.ts';
import {
  buildDelivery,
  buildEndpoint,
  buildLogEntry,
  customerId,
  deliveryIdNumber,
  hour,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

const original = buildDelivery({
  body: '{"id":"evt_1","type":"run.completed","kind":"ü","n":1.0}',
  status: 'failed',
  attempts: 3,
  lastAttemptAt: startOfTest,
  endedAt: startOfTest,
  log: [buildLogEntry()],
});
const now = startOfTest + hour;

function createWorld(
  given: {
    readonly endpoint?: Partial<Endpoint>;
    readonly delivery?: Delivery;
    readonly enqueue?: EnqueueAttempts;
  } = {},
) {
  const journal = createJournal();
  const reports = createReports();
  const { ports, deliveries } = memoryStore({
    deliveries: [given.delivery ?? original],
    endpoints: [buildEndpoint(given.endpoint)],
  });
  const queued: DueAttempt[] = [];
  const slowQueued: DueAttempt[] = [];
  const enqueue: EnqueueAttempts = async (messages) => {
    queued.push(...messages);
    return [];
  };
  const replay = replayDelivery({
    now: () => now,
    randomBytes: countingBytes(),
    report: reports.report,
    readEndpoint: ports.readEndpoint,
    readDelivery: ports.readDelivery,
    storeReplay: journal.note('store', ports.storeReplay),
    enqueueAttempts: journal.note('enqueue', given.enqueue ?? enqueue),
    enqueueSlowAttempts: async (messages) => {
      slowQueued.push(...messages);
      return [];
    },
  });
  return { deliveries, queued, slowQueued, steps: journal.entries, events: reports.events, replay };
}

describe('replayDelivery()', () => {
  it('queues the replay to a slow endpoint in the slow lane', async () => {
    const world = createWorld({ endpoint: { slowSince: now } });

    const replay = await world.replay(original);

    expect(world.slowQueued).toEqual([{ key: { customerId, webhookId, id: replay.id }, attempt: 1 }]);
    expect(world.queued).toEqual([]);
  });

  it.each(['failed', 'delivered'] as const)(
    'makes a new delivery with the same bytes from a delivery that %s',
    async (status) => {
      const world = createWorld({ delivery: { ...original, status } });

      const replay = await world.replay(original);

      expect(replay).toEqual(buildDelivery({ id: replay.id, body: original.body, replayOf: original.id }));
      expect(replay.id).not.toBe(original.id);
      expect(idTime(replay.id)).toBe(now);
      expect(world.deliveries.get(original.id)).toEqual({ ...original, status, replayedBy: replay.id });
    },
  );

  it('stores the replay for the sweep before it queues the first attempt', async () => {
    const world = createWorld();

    const replay = await world.replay(original);

    expect(world.steps).toEqual(['store', 'enqueue']);
    expect(world.deliveries.get(replay.id)).toEqual(replay);
    expect(world.deliveries.dueAt(replay.id)).toBe(now);
    expect(world.queued).toEqual([{ key: { customerId, webhookId, id: replay.id }, attempt: 1 }]);
    expect(world.events).toEqual([]);
  });

  it('makes one delivery per replay, for two replays in a row and for ten at once', async () => {
    const world = createWorld();

    const inARow = [await world.replay(original), await world.replay(original)];
    const atOnce = await Promise.all(Array.from({ length: 10 }, () => world.replay(original)));

    const ids = [...inARow, ...atOnce].map(({ id }) => id);
    expect(new Set(ids).size).toBe(12);
    expect(ids.map((id) => world.deliveries.get(id))).toMatchObject(
      ids.map(() => ({ status: 'pending', replayOf: original.id, body: original.body })),
    );
    expect(new Set(world.queued.map(({ key }) => key.id))).toEqual(new Set(ids));
    const replayedBy = world.deliveries.get(original.id)?.replayedBy;
    expect(world.deliveries.get(original.id)).toEqual({ ...original, replayedBy });
    expect(ids).toContain(replayedBy);
  });

  it('names the delivery that was replayed, also when that delivery was a replay', async () => {
    const world = createWorld({ delivery: { ...original, replayOf: deliveryIdNumber(9) } });

    await expect(world.replay(original)).resolves.toMatchObject({ replayOf: original.id });
  });

  it('makes a delivery that is not cancelled from a cancelled one', async () => {
    const world = createWorld({ delivery: { ...original, cancelled: 'endpoint_deleted' } });

    await expect(world.replay(original)).resolves.toMatchObject({ cancelled: null, status: 'pending' });
  });

  it('spreads replays over the partitions of the endpoint', async () => {
    const world = createWorld({ endpoint: { deliveryPartitions: 32 } });

    const { id } = await world.replay(original);

    expect(deliveryPartition(id)).toBe(1);
  });

  it.each<[string, EnqueueAttempts]>([
    ['refuses', async (messages) => messages],
    ['is out of reach', () => Promise.reject(new Error('unreachable'))],
  ])('succeeds although the queue %s: the sweep will wake the replay', async (_, enqueue) => {
    const world = createWorld({ enqueue });

    const replay = await world.replay(original);

    expect(world.deliveries.get(replay.id)).toEqual(replay);
    expect(world.events).toEqual([
      { name: 'step.failed', step: 'enqueue', delivery: replay, cause: expect.any(Error) },
    ]);
  });
});

describe('replayDelivery() with a request that it refuses', () => {
  it.each([{ customerId: 'cus_other' }, { webhookId: 'whe_other' }, { id: deliveryIdNumber(2) }])(
    'refuses to replay a delivery that does not exist: %o',
    async (other) => {
      const world = createWorld();

      await expect(world.replay({ ...original, ...other })).rejects.toMatchObject({ code: 'not_found' });
      expect(world.steps).toEqual([]);
    },
  );

  it.each(['failed', 'deleted'] as const)('refuses to replay on an endpoint that is %s', async (status) => {
    const world = createWorld({ endpoint: { status } });
    const detail = status === 'failed' ? expect.stringContaining('without verifying it') : undefined;

    await expect(world.replay(original)).rejects.toMatchObject({
      code: 'webhook_not_active',
      status: 409,
      detail,
    });
    expect(world.steps).toEqual([]);
  });

  it('refuses to replay a delivery that has not ended', async () => {
    const world = createWorld({ delivery: { ...original, status: 'pending' } });

    await expect(world.replay(original)).rejects.toMatchObject({ code: 'delivery_in_progress', status: 409 });
    expect(world.steps).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Delivery, DueAttempt } from '#shared/domain/delivery.ts';
import { deliveryPartition } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { idTime } from '#shared/domain/ids.ts';
import { replayDelivery } from '#shared/operations/customer/replay-delivery.ts';
import type { EnqueueAttempts } from '#shared/operations/ports.ts';
import { countingBytes, createReports } from '../../../support/operations/deps.ts';
import { recordStore } from '../../../support/table/record-store.ts';
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

type Given = {
  readonly endpoint?: Partial<Endpoint>;
  readonly delivery?: Partial<Delivery>;
  readonly enqueue?: EnqueueAttempts;
};

const original = buildDelivery({
  body: '{"id":"evt_1","type":"run.completed","kind":"ü","n":1.0}',
  status: 'failed',
  attempts: 3,
  lastAttemptAt: startOfTest,
  endedAt: startOfTest,
  log: [buildLogEntry()],
});
const now = startOfTest + hour;

function createWorld({ endpoint, delivery, enqueue }: Given = {}) {
  const steps: string[] = [];
  const { report, events } = createReports();
  const { ports, deliveries } = recordStore({
    deliveries: [{ ...original, ...delivery }],
    endpoints: [buildEndpoint(endpoint)],
    asking: (request) => {
      if (request === 'transaction') steps.push('store');
    },
  });
  const queued: DueAttempt[] = [];
  const slowQueued: DueAttempt[] = [];
  const enqueueAttempts: EnqueueAttempts = async (messages, lane) => {
    (lane === 'slow' ? slowQueued : queued).push(...messages);
    return [];
  };
  const replay = replayDelivery({
    ...ports,
    now: () => now,
    randomBytes: countingBytes(),
    report,
    enqueueAttempts: (...asked) => {
      steps.push('enqueue');
      return (enqueue ?? enqueueAttempts)(...asked);
    },
  });
  return { deliveries, queued, slowQueued, steps, events, replay };
}

describe('replayDelivery()', () => {
  it('stores the replay for the sweep before it queues the first attempt', async () => {
    const world = createWorld();

    const replay = await world.replay(original);

    expect(world.steps).toEqual(['store', 'enqueue']);
    expect(world.deliveries.get(replay.id)).toEqual(replay);
    expect(world.deliveries.dueAt(replay.id)).toBe(now);
    expect(world.queued).toEqual([{ key: { customerId, webhookId, id: replay.id }, attempt: 1 }]);
    expect(world.events).toEqual([]);
  });

  it.each([
    ['that failed', {}],
    ['that was delivered', { status: 'delivered' }],
    ['that is a replay', { replayOf: deliveryIdNumber(9) }],
    ['that was cancelled', { cancelled: 'endpoint_deleted' }],
  ] as const)('makes a new delivery with the same bytes from one %s, and names both', async (_, given) => {
    const world = createWorld({ delivery: given });

    const replay = await world.replay(original);

    expect(replay).toEqual(buildDelivery({ id: replay.id, body: original.body, replayOf: original.id }));
    expect(replay).toMatchObject({ status: 'pending', attempts: 0, cancelled: null });
    expect(idTime(replay.id)).toBe(now);
    expect(world.deliveries.get(original.id)).toEqual({ ...original, ...given, replayedBy: replay.id });
  });

  it('makes one delivery per replay, for two replays in a row and for ten at once', async () => {
    const world = createWorld();

    const inARow = [await world.replay(original), await world.replay(original)];
    const atOnce = await Promise.all(Array.from({ length: 10 }, () => world.replay(original)));

    const ids = [...inARow, ...atOnce].map(({ id }) => id);
    expect(new Set(ids).size).toBe(12);
    for (const id of ids)
      expect(world.deliveries.get(id)).toMatchObject({ replayOf: original.id, body: original.body });
    expect(new Set(world.queued.map(({ key }) => key.id))).toEqual(new Set(ids));
    expect(ids).toContain(world.deliveries.get(original.id)?.replayedBy);
  });

  it('spreads replays over the partitions of the endpoint', async () => {
    const world = createWorld({ endpoint: { deliveryPartitions: 32 } });

    const { id } = await world.replay(original);

    expect(deliveryPartition(id)).toBe(1);
  });

  it('queues the replay to a slow endpoint in the slow lane', async () => {
    const world = createWorld({ endpoint: { slowSince: now } });

    const { id } = await world.replay(original);

    expect(world.slowQueued).toEqual([{ key: { customerId, webhookId, id }, attempt: 1 }]);
    expect(world.queued).toEqual([]);
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

// conformance/checks has that of another endpoint.
describe('replayDelivery() with a request that it refuses', () => {
  const unverified = expect.stringContaining('without verifying it');

  it.each<[string, Given, code: string, detail: unknown]>([
    ['an endpoint that failed', { endpoint: { status: 'failed' } }, 'webhook_not_active', unverified],
    ['a deleted endpoint', { endpoint: { status: 'deleted' } }, 'webhook_not_active', undefined],
    ['a delivery that has not ended', { delivery: { status: 'pending' } }, 'delivery_in_progress', undefined],
  ])('refuses to replay %s, and stores nothing', async (_, given, code, detail) => {
    const world = createWorld(given);

    await expect(world.replay(original)).rejects.toMatchObject({ code, detail });
    expect(world.steps).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { liveEndpointKey } from '#shared/aws/table/keys.ts';
import { isSelected } from '#shared/domain/bulk-replay.ts';
import { type Delivery, type DueAttempt, replayOf } from '#shared/domain/delivery.ts';
import { deliveryId, deliveryPartition, digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import { countOutcomes } from '#shared/operations/replays/count-outcomes.ts';
import { runReplayStep } from '#shared/operations/replays/run-replay-step.ts';
import {
  buildDelivery,
  buildEndpoint,
  deliveryIdNumber,
  eventId,
  hour,
  otherWebhookId,
  runBody,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';
import { Crash, failedDeliveries, replayWorld, type WorldOptions } from './replay-world.ts';

type World = ReturnType<typeof replayWorld>;

/** Each failed delivery has one replay, which is queued; the job counts them, and another one can start. */
async function expectAllReplayedOnce(world: World, failed: number): Promise<void> {
  world.faults.strike = () => {};
  const replays = world.replays();
  const originals = failedDeliveries(failed).map(({ id }) => id);
  const named = originals.map((id) => world.table.delivery({ ...world.job, id })?.delivery.replayedBy);
  expect(replays.map(({ replayOf }) => replayOf).toSorted()).toEqual(originals);
  expect(named.toSorted()).toEqual(replays.map(({ id }) => id).toSorted());
  expect(new Set(world.queued.map(({ key }) => key.id))).toEqual(new Set(named));
  const cursor = originals.at(-1) ?? null;
  expect(await world.stored()).toMatchObject({ status: 'completed', replayed: failed, skipped: 0, cursor });
  expect(world.table.running.size).toBe(0);
}

/** Somebody else has replayed these deliveries before: they name a replay that was delivered after the selected time. */
function replayEarlier(world: World, ...deliveries: readonly Delivery[]): void {
  const [first] = deliveries;
  if (first === undefined) return;
  const id = deliveryId(world.job.selection.createdBefore, digest('earlier'), 1);
  world.table.putDelivery({ ...replayOf(first, id), status: 'delivered', endedAt: world.clock.now }, null);
  for (const delivery of deliveries) world.table.putDelivery({ ...delivery, replayedBy: id }, null);
}

/** Calls `run` when a request with this name begins or has ended. */
function strikeAt(world: World, at: 'before' | 'after', request: string, run: () => void): void {
  world.faults.strike = (moment, name) => {
    if (moment === at && name === request) run();
  };
}

async function started(options: WorldOptions): Promise<World> {
  const world = replayWorld(options);
  await world.start();
  return world;
}

const cancel = ({ ports, job, clock }: World) =>
  ports.endBulkReplay(job, { status: 'cancelled', reason: 'requested', at: clock.now });
const ample = () => 30_000;
const ends = (world: World) => world.events.filter(({ name }) => name === 'replay.ended');

describe('runReplayStep()', () => {
  it.each([
    { failed: 250, rate: 10 },
    { failed: 12, rate: 1 },
    { failed: 0, rate: 10 },
  ])('replays $failed failed deliveries once, oldest first, $rate a second', async ({ failed, rate }) => {
    const world = await started({ failed, rate });
    const begun = world.clock.now + 1000;

    await world.drain();

    await expectAllReplayedOnce(world, failed);
    const seconds = world.queued.map(({ at }) => (at - begun) / 1000);
    expect(seconds).toEqual(seconds.map((_, index) => Math.floor(index / rate)));
    const order = world.queued.map(({ key }) => world.table.delivery(key)?.delivery.replayOf);
    expect(order).toEqual(failedDeliveries(failed).map(({ id }) => id));
  });

  it('counts the ends of its replays in tallies of eighty', async () => {
    const world = await started({ failed: 170, rate: 10 });

    await world.drain();

    const tallies = Map.groupBy(world.replays(), ({ tally }) => tally ?? '');
    const sizes = [...tallies].map(([tally, replays]) => [tally, replays.length]);
    expect(Object.fromEntries(sizes)).toEqual(
      Object.fromEntries([
        [`${world.job.id}#1.0`, 80],
        [`${world.job.id}#1.1`, 20],
        [`${world.job.id}#2.0`, 70],
      ]),
    );
    for (const tally of tallies.keys())
      await world.ports.addToTally(world.job, tally, { delivered: ['a'], failed: ['b'] });
    const counted = await countOutcomes(world.ports.table, (await world.stored()) ?? world.job);
    expect(counted.outcomes).toEqual({ delivered: 3, failed: 3, pending: 164 });
  });

  it('never takes its own replays, also when its clock is behind the one that began the job', async () => {
    const world = await started({ failed: 30 });
    const { selection } = world.job;
    const behind = { ...world.deps, now: () => selection.createdBefore - 1000 };

    await runReplayStep(behind)({ key: world.job, step: 1 }, ample);

    const replays = world.replays().map((replay) => ({ ...replay, status: 'failed' as const }));
    expect(replays).toHaveLength(30);
    expect(replays.filter((replay) => isSelected(replay, selection))).toEqual([]);
  });

  it('queues the replays to a slow endpoint in the slow lane', async () => {
    const world = await started({ failed: 2, endpoint: { slowSince: 1 } });

    await world.drain();

    expect(world.queued.map(({ lane }) => lane)).toEqual(['slow', 'slow']);
  });

  it('reads ten pages in a step, and waits a second for each before the next step', async () => {
    const world = await started({ failed: 12_000 });
    replayEarlier(world, ...failedDeliveries(11_999));
    const begun: number[] = [];
    let pages = 0;
    world.faults.strike = (moment, name) => {
      if (moment === 'before' && name === 'update RPL' && !begun.includes(world.clock.now)) begun.push(world.clock.now);
      if (moment === 'before' && name === 'query DLV') pages += 1;
    };

    await world.receive();
    expect(pages).toBe(10);
    await world.drain();

    expect(await world.stored()).toMatchObject({ status: 'completed', replayed: 1, skipped: 11_999 });
    expect(begun.map((time) => time - (begun[0] ?? 0))).toEqual([0, 10_000, 20_000]);
  });

  it('leaves the rest of the reading to the next step when the time is short, and skips each once', async () => {
    const world = await started({ failed: 1_000, rate: 1, timeLeft: () => 20_000 });
    replayEarlier(world, ...failedDeliveries(995));
    const begun = world.clock.now + 1000;

    await world.drain();

    expect(await world.stored()).toMatchObject({ status: 'completed', replayed: 5, skipped: 995 });
    expect([world.steps(), world.clock.now - begun]).toEqual([10, 18_000]);
  });

  it('skips each delivery once when the function has no time left between them', async () => {
    const world = await started({ failed: 110, timeLeft: () => 5_000 });
    replayEarlier(world, ...failedDeliveries(110).filter((_, index) => index % 2 === 1));

    await world.drain();

    expect(await world.stored()).toMatchObject({ status: 'completed', replayed: 55, skipped: 55 });
    // It stores 25 at once.
    expect([world.replays().length, world.steps()]).toEqual([55, 3]);
  });

  it('leaves out a delivery that somebody replays while the step runs', async () => {
    const world = await started({ failed: 3 });
    strikeAt(world, 'after', 'query DLV', () => replayEarlier(world, ...failedDeliveries(1)));

    await world.drain();

    expect(await world.stored()).toMatchObject({ replayed: 2, skipped: 1 });
  });

  it('sends an event that is sent to another endpoint meanwhile', async () => {
    const world = await started({ failed: 1 });
    const [original = ''] = failedDeliveries(1).map(({ id }) => id);
    strikeAt(world, 'after', 'query DLV', () => {
      const stored = world.table.delivery({ ...world.job, id: original })?.delivery;
      if (stored !== undefined) world.table.putDelivery({ ...stored, replayedBy: deliveryIdNumber(99) }, null);
    });

    await world.drain();

    expect(world.replays().map(({ replayOf }) => replayOf)).toEqual([original]);
    expect(await world.stored()).toMatchObject({ replayed: 1, skipped: 0 });
  });

  it.each(['failed', 'deleted'] as const)('cancels the job when the endpoint is %s', async (status) => {
    const world = await started({ failed: 150 });
    await world.receive();
    if (status === 'failed') world.table.putLiveEndpoint(buildEndpoint({ status }));
    else world.table.remove(liveEndpointKey(world.job.customerId, world.job.webhookId));

    await world.drain();

    expect(await world.stored()).toMatchObject({
      status: 'cancelled',
      cancelReason: 'webhook_not_active',
      replayed: 100,
    });
    expect(world.replays()).toHaveLength(100);
    expect(world.table.running.size).toBe(0);
  });

  it.each([
    { step: 'with steps after it', failed: 250 },
    { step: 'which is the last', failed: 100 },
  ])('counts and reports the replays of a step, $step, that ran during the cancellation', async ({ failed }) => {
    const world = await started({ failed });
    strikeAt(world, 'before', 'enqueue', () => {
      world.faults.strike = () => {};
      void cancel(world);
    });

    await world.drain();

    expect(await world.stored()).toMatchObject({ status: 'cancelled', replayed: 100 });
    expect(world.replays()).toHaveLength(100);
    expect(ends(world)).toMatchObject([{ job: { status: 'cancelled', replayed: 100 } }]);
  });

  it('counts the replays of a step that crashed before the cancellation, once its message comes back', async () => {
    const world = await started({ failed: 60 });
    replayEarlier(world, ...failedDeliveries(60).slice(3, 7));
    let stored = 0;
    strikeAt(world, 'after', 'transaction', () => {
      stored += 1;
      if (stored === 40) throw new Crash();
    });
    expect(await world.receive()).toBe('crashed');
    world.faults.strike = () => {};
    await cancel(world);

    await world.drain();

    const replayed = world.replays().length;
    expect(replayed).toBeGreaterThanOrEqual(40);
    expect(await world.stored()).toMatchObject({ status: 'cancelled', replayed, skipped: 4 });
    expect(ends(world)).toMatchObject([{ job: { status: 'cancelled', replayed, skipped: 4 } }]);
  });

  it('reports the replays that the queue refused, and counts them: the sweep will wake them', async () => {
    const world = await started({ failed: 2 });
    const enqueueAttempts = async (due: readonly DueAttempt[]) => due.slice(1);

    await runReplayStep({ ...world.deps, enqueueAttempts })({ key: world.job, step: 1 }, ample);

    const { customerId, webhookId, id } = world.replays()[1] ?? world.job;
    const delivery = { customerId, webhookId, id };
    const failure = { name: 'step.failed', step: 'enqueue', delivery, cause: 'refused by the queue' };
    expect(world.events).toMatchObject([failure, { replayed: 2 }, { name: 'replay.ended' }]);
  });

  it('reports each step and the end with the counts of the job and who asked for it', async () => {
    const world = await started({ failed: 130 });

    await world.drain();

    const job = { id: world.job.id, requestedBy: { by: 'operator' } };
    expect(world.events).toMatchObject([
      { name: 'replay.stepped', replayed: 100, skipped: 0, job: { ...job, replayed: 100 } },
      { name: 'replay.stepped', replayed: 30, skipped: 0, job: { ...job, replayed: 130 } },
      { name: 'replay.ended', job: { ...job, status: 'completed', replayed: 130 } },
    ]);
  });
});

describe('runReplayStep() with deliveries of another endpoint', () => {
  const target = { id: otherWebhookId, createdAt: startOfTest + hour };
  const eventOf = (number: number) => makeId('event', startOfTest, digest('event', String(number)));
  /** Deliveries of an endpoint that was deleted, each of an event of its own, and a job that sends them to another one. */
  const begun = async (failed: number, options: Partial<WorldOptions> = {}) => {
    const selection = { sourceWebhookId: webhookId };
    const world = await started({ failed, endpoint: target, selection, ...options });
    for (const [number, delivery] of failedDeliveries(failed).entries()) {
      const body = delivery.body.replace(eventId, eventOf(number));
      world.table.putDelivery({ ...delivery, body, event: { ...delivery.event, id: eventOf(number) } }, null);
    }
    world.table.putTombstone(buildEndpoint({ status: 'deleted' }), startOfTest);
    return world;
  };
  /** What the endpoint is sent. */
  const sent = (world: World) =>
    world.replays().map((replay) => [replay.webhookId, replay.sourceWebhookId, replay.replayOf]);

  it.each([1, 10])('sends each of their events to its own endpoint once, %i a second', async (rate) => {
    const world = await begun(25, { rate });

    await world.drain();

    const originals = failedDeliveries(25).map(({ id }) => id);
    expect(sent(world)).toEqual(originals.map((id) => [otherWebhookId, webhookId, id]));
    expect(world.queued.map(({ key }) => key.webhookId)).toEqual(originals.map(() => otherWebhookId));
    expect(await world.stored()).toMatchObject({ status: 'completed', replayed: 25, skipped: 0 });
  });

  it('stores and queues the replays as the endpoint needs that they are sent to: spread, and in its lane', async () => {
    const world = await begun(25, { endpoint: { ...target, slowSince: 1, deliveryPartitions: 4 } });

    await world.drain();

    expect(new Set(world.replays().map(({ id }) => deliveryPartition(id)))).toEqual(new Set([0, 1, 2, 3]));
    expect(new Set(world.queued.map(({ lane }) => lane))).toEqual(new Set(['slow']));
  });

  it('sends no event twice when a step is repeated, although another replay took its mark', async () => {
    const world = await begun(3);
    strikeAt(world, 'before', 'enqueue', () => {
      throw new Crash();
    });
    expect(await world.receive()).toBe('crashed');
    world.faults.strike = () => {};
    const [first] = failedDeliveries(1);
    const marked = world.table.delivery({ ...world.job, webhookId, id: first?.id ?? '' })?.delivery;
    if (marked !== undefined) world.table.putDelivery({ ...marked, replayedBy: deliveryIdNumber(99) }, null);

    await world.drain();

    expect(sent(world)).toHaveLength(3);
    expect(await world.stored()).toMatchObject({ status: 'completed', replayed: 2, skipped: 1 });
  });

  it('sends an event that is sent to its own endpoint again meanwhile', async () => {
    const world = await begun(1);
    const [original = ''] = failedDeliveries(1).map(({ id }) => id);
    strikeAt(world, 'after', 'query EVT', () => {
      const stored = world.table.delivery({ ...world.job, webhookId, id: original })?.delivery;
      if (stored !== undefined) world.table.putDelivery({ ...stored, replayedBy: deliveryIdNumber(99) }, null);
    });

    await world.drain();

    expect(sent(world)).toEqual([[otherWebhookId, webhookId, original]]);
    expect(await world.stored()).toMatchObject({ replayed: 1, skipped: 0 });
  });

  it('leaves out an event that the endpoint was sent itself', async () => {
    const world = await begun(2, { endpoint: { ...target, createdAt: startOfTest } });
    const body = runBody.replace(eventId, eventOf(1));
    const id = deliveryId(startOfTest, digest('its own'), 1);
    const own = buildDelivery({ id, webhookId: otherWebhookId, body, status: 'failed' });
    world.table.putDelivery(own, null);

    await world.drain();

    expect(await world.stored()).toMatchObject({ status: 'completed', replayed: 1, skipped: 1 });
  });
});

describe('runReplayStep() with messages that are repeated, early or lost', () => {
  it('sends a message again that comes before its job is stored, less often after a minute, and drops it after a quarter of an hour', async () => {
    const world = replayWorld({ failed: 1 });
    const step = { key: world.job, step: 1 };
    const begun = world.clock.now;
    world.messages.add({ step, visibleAt: begun });

    await world.drain();

    expect(world.clock.now - begun).toBe(15 * 60_000 + 5_000);
    expect(world.queued).toEqual([]);
  });

  it('runs a step within seconds when its message came before the step before was recorded', async () => {
    const world = await started({ failed: 150 });
    const early: Promise<string>[] = [];
    // The next message is received while this one is recorded.
    strikeAt(world, 'after', 'send step', () => {
      world.faults.strike = () => {};
      world.clock.now += 1;
      early.push(world.run({ key: world.job, step: 2 }, ample));
    });
    world.messages.clear();
    await world.run({ key: world.job, step: 1 }, ample);
    const recorded = world.clock.now;
    const [next] = [...world.messages].filter(({ visibleAt }) => visibleAt > recorded + 5_000);
    if (next !== undefined) world.messages.delete(next);

    await world.drain();

    expect(await Promise.all(early)).toEqual(['done']);
    expect(world.clock.now - recorded).toBe(5_000);
    await expectAllReplayedOnce(world, 150);
  });

  it('returns the message of a step while another worker runs it, and completes it afterwards', async () => {
    const world = await started({ failed: 150 });
    const step = { key: world.job, step: 1 };

    const first = world.run(step, ample);
    world.clock.now += 1;
    const results = await Promise.all([first, world.run(step, ample)]);

    expect(results).toEqual(['done', 'retry']);
    expect(await world.run(step, ample)).toBe('done');
    expect(world.queued).toHaveLength(100);
  });

  it('sends nothing more after a cancellation, and reports it when the step that ran has ended', async () => {
    const world = await started({ failed: 150 });
    const step = { key: world.job, step: 1 };
    const { now } = world.clock;
    await world.ports.claimReplayStep(step, { now, leaseUntil: now + 30_000 });
    await cancel(world);

    expect(await world.run(step, ample)).toBe('retry');
    world.clock.now += 30_000;
    expect(await world.run(step, ample)).toBe('done');

    expect(world.queued).toEqual([]);
    expect(ends(world)).toMatchObject([{ job: { status: 'cancelled', replayed: 0 } }]);
  });
});

/** A whole bulk replay between deliveries that were replayed earlier, whose worker ends at one of its moments. */
async function runWithCrash(failed: number, earlier: readonly Delivery[], crash = 0) {
  const world = await started({ failed, rate: 1 });
  replayEarlier(world, ...earlier);
  let moments = 0;
  world.faults.strike = () => {
    moments += 1;
    if (moments === crash) throw new Crash();
  };
  await world.drain();
  return { world, moments };
}

it('a crash at any await loses no replay, makes no second one and keeps the counts', async () => {
  const failed = 130;
  const earlier = failedDeliveries(failed).filter((_, index) => index % 13 !== 3);
  const { moments } = await runWithCrash(failed, earlier);
  expect(moments).toBeGreaterThan(30);
  for (let moment = 1; moment <= moments; moment += 1) {
    const { world } = await runWithCrash(failed, earlier, moment);

    expect(await world.stored()).toMatchObject({ status: 'completed', replayed: 10, skipped: 120 });
    expect(world.replays()).toHaveLength(10);
    expect(new Set(world.queued.map(({ key }) => key.id)).size).toBe(10);
  }
});

import { describe, expect, it } from 'vitest';
import { isSelected } from '#shared/domain/bulk-replay.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { runReplayStep } from '#shared/operations/replays/run-replay-step.ts';
import { Crash, failedDeliveries, replayWorld } from './replay-world.ts';

type World = ReturnType<typeof replayWorld>;

/** Each failed delivery has one replay, which is queued; the job counts them, and another one can start. */
async function expectAllReplayedOnce(world: World, failed: number): Promise<void> {
  world.faults.strike = () => {};
  const originals = failedDeliveries(failed).map(({ id }) => id);
  expect(
    world
      .replays()
      .map(({ replayOf }) => replayOf)
      .toSorted(),
  ).toEqual(originals);
  const named = originals.map((id) => world.table.delivery({ ...world.job, id })?.delivery.replayedBy);
  expect(named.toSorted()).toEqual(
    world
      .replays()
      .map(({ id }) => id)
      .toSorted(),
  );
  expect(new Set(world.queued.map(({ key }) => key.id))).toEqual(new Set(named));
  expect(await world.stored()).toMatchObject({ status: 'completed', replayed: failed, skipped: 0 });
  expect(world.table.running.size).toBe(0);
}

/** Somebody else has replayed these deliveries before. */
function replayEarlier(world: World, deliveries: readonly Delivery[]): void {
  for (const delivery of deliveries) {
    world.table.putDelivery({ ...delivery, replayedBy: 'whd_01M7WD7TZN0QMCKQ98N6FHMZR9' }, null);
  }
}

const ends = (world: World) => world.events.filter(({ name }) => name === 'replay.ended');

describe('runReplayStep()', () => {
  it('replays every failed delivery once, oldest first, at an even pace of ten a second', async () => {
    const world = replayWorld({ failed: 250 });
    await world.start();
    const begun = world.clock.now + 1000;

    await world.drain();

    await expectAllReplayedOnce(world, 250);
    const seconds = world.queued.map(({ at }) => (at - begun) / 1000);
    expect(seconds).toEqual(seconds.map((_, index) => Math.floor(index / 10)));
    const order = world.queued.map(({ key }) => world.table.delivery(key)?.delivery.replayOf);
    expect(order).toEqual(failedDeliveries(250).map(({ id }) => id));
  });

  it('never takes its own replays, also when its clock is behind the one that began the job', async () => {
    const world = replayWorld({ failed: 30 });
    await world.start();
    const { selection } = world.job;
    const behind = { ...world.deps, now: () => selection.createdBefore - 1000 };

    await runReplayStep(behind)({ key: world.job, step: 1 }, () => 30_000);

    const selected = world
      .replays()
      .filter((replay) => isSelected({ ...replay, status: 'failed' }, selection));
    expect(world.replays()).toHaveLength(30);
    expect(selected).toEqual([]);
  });

  it('replays one a second when it is asked for one a second', async () => {
    const world = replayWorld({ failed: 12, rate: 1 });
    await world.start();

    await world.drain();

    const times = world.queued.map(({ at }) => at);
    expect(times).toEqual(times.map((_, index) => (times[0] ?? 0) + index * 1000));
  });

  it('queues the replays to a slow endpoint in the slow lane', async () => {
    const world = replayWorld({ failed: 2, endpoint: { slowSince: 1 } });
    await world.start();

    await world.drain();

    expect(world.queued.map(({ lane }) => lane)).toEqual(['slow', 'slow']);
  });

  it('leaves out deliveries that have a replay, and counts them', async () => {
    const world = replayWorld({ failed: 3 });
    const [first] = failedDeliveries(3);
    if (first === undefined) throw new Error('There is no delivery');
    world.table.putDelivery({ ...first, replayedBy: 'whd_01M7WD7TZN0QMCKQ98N6FHMZR9' }, null);
    await world.start();

    await world.drain();

    expect(await world.stored()).toMatchObject({ status: 'completed', replayed: 2, skipped: 1 });
    expect(world.replays()).toHaveLength(2);
  });

  it('reads on in one step after deliveries that were replayed earlier', async () => {
    const world = replayWorld({ failed: 1_000, rate: 1 });
    replayEarlier(world, failedDeliveries(995));
    await world.start();

    await world.drain();

    expect(await world.stored()).toMatchObject({ status: 'completed', replayed: 5, skipped: 995 });
    expect(world.steps()).toBe(1);
  });

  it('reads ten pages in a step, and waits a second for each before the next step', async () => {
    const world = replayWorld({ failed: 3_000 });
    replayEarlier(world, failedDeliveries(3_000));
    const begun: number[] = [];
    let pages = 0;
    world.faults.strike = (moment, name) => {
      if (moment === 'before' && name === 'claim step') begun.push(world.clock.now);
      if (moment === 'before' && name === 'read replayable') pages += 1;
    };
    await world.start();

    await world.receive();
    expect(pages).toBe(10);
    await world.drain();

    expect(await world.stored()).toMatchObject({ status: 'completed', replayed: 0, skipped: 3_000 });
    expect(begun.map((time) => time - (begun[0] ?? 0))).toEqual([0, 10_000, 20_000]);
  });

  it('leaves the rest of the reading to the next step when the time is short, and skips each once', async () => {
    const world = replayWorld({ failed: 1_000, rate: 1, timeLeft: () => 20_000 });
    replayEarlier(world, failedDeliveries(995));
    await world.start();

    await world.drain();

    expect(await world.stored()).toMatchObject({ status: 'completed', replayed: 5, skipped: 995 });
    expect(world.steps()).toBe(9);
  });

  it('skips each delivery once when the function has no time left between them', async () => {
    const world = replayWorld({ failed: 110, timeLeft: () => 5_000 });
    const earlier = failedDeliveries(110).filter((_, index) => index % 2 === 1);
    replayEarlier(world, earlier);
    await world.start();

    await world.drain();

    expect(await world.stored()).toMatchObject({ status: 'completed', replayed: 55, skipped: 55 });
    expect(world.replays()).toHaveLength(55);
  });

  it('leaves out a delivery that somebody replays while the step runs', async () => {
    const world = replayWorld({ failed: 3 });
    const [first] = failedDeliveries(3);
    if (first === undefined) throw new Error('There is no delivery');
    world.faults.strike = (moment, name) => {
      if (moment === 'after' && name === 'read replayable')
        world.table.putDelivery({ ...first, replayedBy: 'whd_01M7WD7TZN0QMCKQ98N6FHMZR9' }, null);
    };
    await world.start();

    await world.drain();

    expect(await world.stored()).toMatchObject({ replayed: 2, skipped: 1 });
  });

  it('goes on in the next step when the function has no time left', async () => {
    const world = replayWorld({ failed: 80, timeLeft: () => 5_000 });
    await world.start();

    await world.receive();

    expect(await world.stored()).toMatchObject({ status: 'running', step: 2, replayed: 25 });
    await world.drain();
    await expectAllReplayedOnce(world, 80);
  });

  it.each(['failed', 'deleted'] as const)('cancels the job when the endpoint is %s', async (status) => {
    const world = replayWorld({ failed: 150 });
    await world.start();
    await world.receive();
    const live = world.table.liveEndpoint(world.job.customerId, world.job.webhookId);
    if (live === null) throw new Error('There is no endpoint');
    if (status === 'failed') world.table.putLiveEndpoint({ ...live, status });
    else world.table.removeLiveEndpoint(live.customerId, live.id);

    await world.drain();

    expect(await world.stored()).toMatchObject({
      status: 'cancelled',
      cancelReason: 'webhook_not_active',
      replayed: 100,
    });
    expect(world.replays()).toHaveLength(100);
    expect(world.table.running.size).toBe(0);
  });

  it('sends nothing more after a cancellation', async () => {
    const world = replayWorld({ failed: 250 });
    await world.start();
    await world.receive();
    await world.ports.endBulkReplay(world.job, {
      status: 'cancelled',
      reason: 'requested',
      at: world.clock.now,
    });

    await world.drain();

    expect(world.queued).toHaveLength(100);
    expect(await world.stored()).toMatchObject({ status: 'cancelled', replayed: 100 });
    expect(ends(world)).toMatchObject([{ job: { status: 'cancelled', replayed: 100 } }]);
  });

  it.each([
    { step: 'with steps after it', failed: 250 },
    { step: 'which is the last', failed: 100 },
  ])(
    'counts and reports the replays of a step, $step, that ran during the cancellation',
    async ({ failed }) => {
      const world = replayWorld({ failed });
      await world.start();
      world.faults.strike = (moment, name) => {
        if (moment !== 'before' || name !== 'enqueue') return;
        world.faults.strike = () => {};
        void world.ports.endBulkReplay(world.job, { status: 'cancelled', reason: 'requested', at: 1 });
      };

      await world.drain();

      expect(await world.stored()).toMatchObject({ status: 'cancelled', replayed: 100 });
      expect(world.replays()).toHaveLength(100);
      expect(ends(world)).toMatchObject([{ job: { status: 'cancelled', replayed: 100 } }]);
    },
  );

  it('counts the replays of a step that crashed before the cancellation, once its message comes back', async () => {
    const world = replayWorld({ failed: 60 });
    replayEarlier(world, failedDeliveries(60).slice(3, 7));
    await world.start();
    let stored = 0;
    world.faults.strike = (moment, name) => {
      if (moment === 'after' && name === 'store replay' && ++stored === 40) throw new Crash();
    };
    expect(await world.receive()).toBe('crashed');
    world.faults.strike = () => {};
    const end = { status: 'cancelled', reason: 'requested', at: world.clock.now } as const;
    await world.ports.endBulkReplay(world.job, end);

    await world.drain();

    const replayed = world.replays().length;
    expect(replayed).toBeGreaterThanOrEqual(40);
    expect(await world.stored()).toMatchObject({ status: 'cancelled', replayed, skipped: 4 });
    expect(ends(world)).toMatchObject([{ job: { status: 'cancelled', replayed, skipped: 4 } }]);
  });

  it('reports each step and the end with the counts of the job and who asked for it', async () => {
    const world = replayWorld({ failed: 130 });
    await world.start();

    await world.drain();

    const job = { id: world.job.id, requestedBy: { by: 'operator' } };
    expect(world.events).toMatchObject([
      { name: 'replay.stepped', replayed: 100, skipped: 0, job: { ...job, replayed: 100 } },
      { name: 'replay.stepped', replayed: 30, skipped: 0, job: { ...job, replayed: 130 } },
      { name: 'replay.ended', job: { ...job, status: 'completed', replayed: 130 } },
    ]);
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

  it('runs the first step within seconds when its message came before the job was stored', async () => {
    const world = replayWorld({ failed: 1 });
    world.messages.add({ step: { key: world.job, step: 1 }, visibleAt: world.clock.now });
    await world.receive();
    await world.ports.storeBulkReplay(world.job);
    const stored = world.clock.now;

    await world.drain();

    await expectAllReplayedOnce(world, 1);
    expect(world.clock.now - stored).toBe(5_000);
  });

  it('runs a step within seconds when its message came before the step before was recorded', async () => {
    const world = replayWorld({ failed: 150 });
    await world.start();
    const { advanceReplay } = world.deps;
    const early: string[] = [];
    const slow = {
      ...world.deps,
      // The next message is received while this one is recorded.
      advanceReplay: async (...args: Parameters<typeof advanceReplay>) => {
        world.clock.now += 1;
        early.push(await world.run({ key: world.job, step: 2 }, () => 30_000));
        return advanceReplay(...args);
      },
    };
    world.messages.clear();
    await runReplayStep(slow)({ key: world.job, step: 1 }, () => 30_000);
    const recorded = world.clock.now;
    const [next] = [...world.messages].filter(({ visibleAt }) => visibleAt > recorded + 5_000);
    if (next !== undefined) world.messages.delete(next);

    await world.drain();

    expect(early).toEqual(['done']);
    expect(world.clock.now - recorded).toBe(5_000);
    await expectAllReplayedOnce(world, 150);
  });

  it('runs a step once when its message comes twice', async () => {
    const world = replayWorld({ failed: 150 });
    await world.start();
    world.messages.add({ step: { key: world.job, step: 1 }, visibleAt: world.clock.now + 2000 });

    await world.drain();

    await expectAllReplayedOnce(world, 150);
    expect(world.queued).toHaveLength(150);
  });

  it('lets one of two workers run a step at the same time', async () => {
    const world = replayWorld({ failed: 150 });
    await world.start();
    const step = { key: world.job, step: 1 };

    const first = world.run(step, () => 30_000);
    world.clock.now += 1;
    const results = await Promise.all([first, world.run(step, () => 30_000)]);

    expect(results).toEqual(['done', 'retry']);
    expect(world.queued).toHaveLength(100);
  });

  it('takes a step over from a worker that stopped, and both together replay each delivery once', async () => {
    const world = replayWorld({ failed: 60 });
    await world.start();
    let resume = () => {};
    const stopped = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const { storeReplay } = world.deps;
    const stopping = {
      ...world.deps,
      storeReplay: (...args: Parameters<typeof storeReplay>) => stopped.then(() => storeReplay(...args)),
    };
    const slow = runReplayStep(stopping)({ key: world.job, step: 1 }, () => 30_000);
    await new Promise(setImmediate);
    world.clock.now += 61_000;

    await world.drain();
    resume();
    await slow;

    await expectAllReplayedOnce(world, 60);
  });
});

/** Every request of a bulk replay without faults, before and after its effect. */
async function momentsOf(failed: number): Promise<number> {
  const world = replayWorld({ failed });
  let moments = 0;
  await world.start();
  world.faults.strike = () => {
    moments += 1;
  };
  await world.drain();
  return moments;
}

/** @returns the number of moments so far */
function crashAt(world: World, ...moments: readonly number[]): () => number {
  let count = 0;
  world.faults.strike = () => {
    count += 1;
    if (moments.includes(count)) throw new Crash();
  };
  return () => count;
}

describe('runReplayStep() with a crash', () => {
  it('a crash at any await loses no replay, makes no second one and keeps the counts', async () => {
    const failed = 30;
    const moments = await momentsOf(failed);
    expect(moments).toBeGreaterThan(60);
    for (let moment = 1; moment <= moments; moment += 1) {
      const world = replayWorld({ failed, rate: 1 });
      await world.start();
      crashAt(world, moment);

      await world.drain();

      await expectAllReplayedOnce(world, failed);
    }
  });

  it('a crash at any await between deliveries that were replayed earlier counts each once', async () => {
    const failed = 150;
    const mixed = async (crashMoment: number) => {
      const world = replayWorld({ failed, rate: 1 });
      replayEarlier(
        world,
        failedDeliveries(failed).filter((_, index) => index % 10 !== 3),
      );
      await world.start();
      const moments = crashAt(world, crashMoment);
      await world.drain();
      return { world, moments: moments() };
    };
    const { moments } = await mixed(0);
    expect(moments).toBeGreaterThan(50);
    for (let moment = 1; moment <= moments; moment += 1) {
      const { world } = await mixed(moment);

      expect(await world.stored()).toMatchObject({ status: 'completed', replayed: 15, skipped: 135 });
      expect(new Set(world.replays().map(({ replayOf }) => replayOf)).size).toBe(15);
      expect(world.replays()).toHaveLength(15);
      expect(new Set(world.queued.map(({ key }) => key.id)).size).toBe(15);
    }
  });

  it('a crash at any two awaits loses no replay, makes no second one and keeps the counts', async () => {
    const failed = 12;
    const moments = await momentsOf(failed);
    for (let first = 1; first <= moments; first += 1) {
      for (let second = first + 1; second <= moments * 2; second += 3) {
        const world = replayWorld({ failed, rate: 1 });
        await world.start();
        crashAt(world, first, second);

        await world.drain();

        await expectAllReplayedOnce(world, failed);
      }
    }
  });
});

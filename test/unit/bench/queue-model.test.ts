import { describe, expect, it } from 'vitest';
import { type Arrival, playQueue, type QueueModel } from '../../../bench/neighbour/queue-model.ts';
import { always, deployed, modelQuick } from '../../../bench/neighbour/scenario.ts';
import { parseConfig } from '../../../lib/config.ts';

const second = 1_000;
const slow = (at = 0): Arrival => ({ at, group: 'slow', busyMs: 10 * second });
const quick = (at: number, group = 'quick'): Arrival => ({ at, group, busyMs: second });
const times = (count: number, arrival: Arrival): readonly Arrival[] => Array(count).fill(arrival);

/** Two functions with batches of ten by default. */
function play(model: Partial<QueueModel> & Pick<QueueModel, 'arrivals'>): readonly number[] {
  return playQueue({ order: 'plain', batchSize: 10, capacity: always(2), ...model });
}

describe('playQueue()', () => {
  it.each(['plain', 'fair'] as const)(
    'lets no message wait while a function is free, in %s order',
    (order) => {
      const arrivals = [quick(0), quick(5 * second), ...times(10, quick(6 * second))];

      expect(play({ arrivals, order })).toEqual(arrivals.map(() => 0));
    },
  );

  it('serves a quiet group before a noisy one, but takes no function away from it', () => {
    const arrivals = [...times(40, slow()), ...times(1_000, slow(second)), quick(2 * second)];

    const [plain, fair] = (['plain', 'fair'] as const).map((order) =>
      play({ arrivals, order, capacity: always(4) }).at(-1),
    );

    // 25 batches wait for each of the four functions' next ten seconds; the last quick one comes after all of them.
    expect(plain).toBe(258 * second);
    expect(fair).toBe(8 * second);
  });
});

describe('modelQuick()', () => {
  const run = {
    quickEndpoints: 20,
    rate: 10,
    seconds: 10,
    batchSize: 10,
    capacity: always(5),
    handlingMs: 100,
    waiting: 1_000,
  } as const;

  it('makes quick endpoints wait for the whole backlog in plain order, and for one attempt in fair order', () => {
    // 1,000 / (5 × 10) rounds of ten seconds; the first event came as they began.
    expect(modelQuick({ ...run, order: 'plain' }).max).toBe(200 * second + 100);
    expect(modelQuick({ ...run, order: 'fair' }).max).toBeLessThanOrEqual(10 * second + 100);
  });

  it('a slow lane passes a backlog on instead of attempting it', () => {
    // The first batches hold all five functions for ten seconds; the other 950 take five functions a second.
    const { max } = modelQuick({ ...run, order: 'plain', slowLane: true });

    expect(max).toBeLessThanOrEqual(11 * second + 100);
  });

  it('has the default concurrency of a stage', () => {
    expect(deployed.functions).toBe(parseConfig(() => undefined).deliveryConcurrency);
  });
});

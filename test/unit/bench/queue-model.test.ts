import { describe, expect, it } from 'vitest';
import { type Arrival, playQueue, type QueueModel } from '../../../bench/neighbour/queue-model.ts';
import { always } from '../../../bench/neighbour/scenario.ts';

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

  it('serves in the order of arrival, a batch at a time, when functions become free', () => {
    const arrivals = [...times(50, slow()), quick(second)];

    const waits = play({ arrivals });

    // Two batches at once, the next two after ten seconds, and the last ten with the quick one's after twenty.
    expect(waits.slice(0, 50)).toEqual([
      ...Array(20).fill(0),
      ...Array(20).fill(10 * second),
      ...Array(10).fill(20 * second),
    ]);
    expect(waits[50]).toBe(19 * second);
  });

  it('serves a quiet group before a noisy one, but takes no function away from it', () => {
    const arrivals = [...times(40, slow()), ...times(1_000, slow(second)), quick(2 * second)];

    const [plain, fair] = (['plain', 'fair'] as const).map((order) =>
      play({ arrivals, order, capacity: always(4) }).at(-1),
    );

    // 25 batches wait for each of the four functions' next ten seconds; the last quick one comes after all of them.
    expect(plain).toBe(258 * second);
    expect(fair).toBe(8 * second);
  });

  it('fills the batch of a quiet group with messages of the noisy one', () => {
    const arrivals = [...times(40, slow()), ...times(30, slow(second)), ...times(3, quick(2 * second))];

    const waits = play({ arrivals, order: 'fair', capacity: always(4) });

    // Of four batches at ten seconds the first holds three quick ones, so that all thirty others fit too.
    expect(waits.slice(40)).toEqual([...Array(30).fill(9 * second), ...Array(3).fill(8 * second)]);
  });

  it('holds a function for the slowest message of its batch', () => {
    const arrivals = [quick(0), slow(), quick(second)];

    expect(play({ arrivals, capacity: always(1) })).toEqual([0, 0, 9 * second]);
  });

  it('takes the later duration of a message that a function receives later', () => {
    const moved = { ...slow(), later: { from: second, busyMs: second } };

    expect(
      play({ arrivals: [...times(10, slow()), moved, quick(0)], batchSize: 1, capacity: always(1) }).slice(
        -2,
      ),
    ).toEqual([100 * second, 101 * second]);
  });

  it('uses each function from the time it is added', () => {
    const capacity = [
      { from: 0, functions: 1 },
      { from: 3 * second, functions: 2 },
    ];

    expect(play({ arrivals: times(20, slow()), capacity })).toEqual([
      ...Array(10).fill(0),
      ...Array(10).fill(3 * second),
    ]);
  });

  it('throws when no function will ever serve the waiting messages', () => {
    expect(() => play({ arrivals: [quick(0)], capacity: always(0) })).toThrow('no function ever serves them');
  });
});

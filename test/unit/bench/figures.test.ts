import { describe, expect, it } from 'vitest';
import { median } from '../../../bench/median.ts';
import { spreadOf } from '../../../bench/percentiles.ts';
import { Arrivals } from '../../../bench/support/arrivals.ts';
import { ratios, several } from '../../../bench/support/several.ts';

describe('figures of several measurements', () => {
  it('spreadOf() returns the values that half, nine tenths and so on do not exceed', () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);

    expect(spreadOf(values)).toEqual({ count: 200, p50: 100, p90: 180, p95: 190, p99: 198, max: 200 });
  });

  it('spreadOf() ranks a value that never came last', () => {
    const late = Number.POSITIVE_INFINITY;

    expect(spreadOf([late, 1, 2, 3])).toMatchObject({ p50: 2, p90: late });
  });

  it('median() is the middle value, or the mean of the two middle ones', () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
  });

  it('several() returns the median and the range', () => {
    expect(several([3, 1, 2])).toEqual({ median: 2, low: 1, high: 3 });
  });

  it('ratios() compares the values of the same round', () => {
    expect(ratios([10, 30, 40], [10, 10, 20])).toEqual({ median: 2, low: 1, high: 3 });
    expect(() => ratios([1, 2], [1])).toThrow('one has no partner');
  });

  it.each([spreadOf, median, several])('%o refuses an empty list', (figure) => {
    expect(() => figure([])).toThrow('there are no values');
  });
});

describe('Arrivals', () => {
  it('stops waiting when the time is over', async () => {
    await expect(new Arrivals().all(['run_1'], 0)).resolves.toBeUndefined();
  });

  it('keeps the time of the first POST of a Run, and waits until each of several has arrived', async () => {
    const arrivals = new Arrivals();
    arrivals.add('run_1', 5);
    arrivals.add('run_1', 9);
    const waiting = arrivals.all(['run_1', 'run_2'], 60_000).then(() => 'all');

    const early = await Promise.race([waiting, Promise.resolve('not all')]);
    arrivals.add('run_2', 7);

    expect([early, await waiting]).toEqual(['not all', 'all']);
    expect([arrivals.at('run_1'), arrivals.at('run_2'), arrivals.at('run_3')]).toEqual([5, 7, null]);
  });
});

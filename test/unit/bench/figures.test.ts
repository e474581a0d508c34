import { describe, expect, it } from 'vitest';
import { median, ratios, spreadOf } from '../../../tools/bench/figures.ts';
import { isHeld, resultText } from '../../../tools/bench/result-text.ts';
import { Arrivals } from '../../../tools/bench/support/send-events.ts';

describe('figures of several measurements', () => {
  it('spreadOf() returns the values that half and 99 of a hundred do not exceed', () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);

    expect(spreadOf(values)).toEqual({ p50: 100, p99: 198, max: 200 });
  });

  it('spreadOf() ranks a value that never came last', () => {
    expect(spreadOf([Infinity, 1, 2, 3])).toEqual({ p50: 2, p99: Infinity, max: Infinity });
  });

  it('median() is the middle value, or the mean of the two middle ones', () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
  });

  it('ratios() compares the values of the same round', () => {
    expect(ratios([10, 30, 40], [10, 10, 20])).toEqual([1, 3, 2]);
    expect(() => ratios([1, 2], [1])).toThrow('one has no partner');
  });

  it.each([spreadOf, median])('%o refuses an empty list', (figure) => {
    expect(() => figure([])).toThrow('there are no values');
  });
});

describe('Arrivals', () => {
  it('keeps the time of the first POST of a Run, whether it is awaited before or after', async () => {
    const arrivals = new Arrivals();
    const waiting = arrivals.wait('run_1', 60_000);
    arrivals.add('run_1', 5);
    arrivals.add('run_1', 9);

    expect([await waiting, await arrivals.wait('run_1', 60_000)]).toEqual([5, 5]);
    expect(await arrivals.wait('run_2', 0)).toBeNull();
  });
});

describe('the budgets of a result', () => {
  const budget = { label: 'CPU-ms', measured: 3.2, most: 4 };

  it('are its last table, with their ratios', () => {
    expect(resultText({ tables: [], budgets: [budget, { ...budget, measured: 5 }] })).toMatch(
      /^Budgets\n.*\nCPU-ms +3\.2 +4 +0\.8 +yes\nCPU-ms +5 +4 +1\.25 +NO$/s,
    );
  });

  it('do not hold when a value is larger, or could not be measured', () => {
    expect([4, 4.1, Number.NaN].map((measured) => isHeld({ ...budget, measured }))).toEqual([true, false, false]);
  });
});

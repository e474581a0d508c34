import { describe, expect, it } from 'vitest';
import { formatTable } from '../../../bench/neighbour/table.ts';
import { spreadOf } from '../../../bench/percentiles.ts';

describe('spreadOf()', () => {
  it('returns the values that half, nine tenths and so on do not exceed', () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);

    expect(spreadOf(values)).toEqual({ count: 200, p50: 100, p90: 180, p95: 190, p99: 198, max: 200 });
  });

  it('ranks a value that never came last', () => {
    expect(spreadOf([Number.POSITIVE_INFINITY, 1, 2, 3])).toMatchObject({
      p50: 2,
      p90: Number.POSITIVE_INFINITY,
    });
  });

  it('refuses an empty list', () => {
    expect(() => spreadOf([])).toThrow('there are no values');
  });
});

describe('formatTable()', () => {
  const base = spreadOf([50]);
  const row = { what: 'it', neighbour: 'none', order: 'fair', patienceMs: 60_000 };
  const cellsOf = (line: string | undefined) => line?.split(/ {2,}/);

  it('shows durations, and the 99th percentile as a ratio to the base', () => {
    const [, line] = formatTable([{ ...row, spread: spreadOf([100, 1_500, 12_400]), base }]).split('\n');

    expect(cellsOf(line)).toEqual(['it', 'none', 'fair', '1.5 s', '12 s', '12 s', '12 s', '248 : 1']);
  });

  it('shows an event that did not arrive as later than the time limit', () => {
    const spread = spreadOf([100, Number.POSITIVE_INFINITY]);

    const [, line] = formatTable([{ ...row, spread, base }]).split('\n');

    expect(cellsOf(line)).toEqual([
      'it',
      'none',
      'fair',
      '100 ms',
      '> 60 s',
      '> 60 s',
      '> 60 s',
      '> 1200 : 1',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
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

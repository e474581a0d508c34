import { describe, expect, it } from 'vitest';
import { ratios, several } from '../../../bench/support/several.ts';

describe('several()', () => {
  it('returns the median and the range', () => {
    expect(several([3, 1, 2])).toEqual({ median: 2, low: 1, high: 3 });
    expect(several([4, 1])).toEqual({ median: 2.5, low: 1, high: 4 });
  });

  it('refuses an empty list', () => {
    expect(() => several([])).toThrow('there are no values');
  });
});

describe('ratios()', () => {
  it('compares the values of the same round', () => {
    expect(ratios([10, 30, 40], [10, 10, 20])).toEqual({ median: 2, low: 1, high: 3 });
  });

  it('refuses a round without a partner', () => {
    expect(() => ratios([1, 2], [1])).toThrow('one has no partner');
  });
});

import { describe, expect, it } from 'vitest';
import { isQuickAgain, quickWithin, slowAfter, slowFor } from '#shared/domain/lane.ts';

const slowSince = 1_000_000;
const old = slowSince + slowFor;

describe('isQuickAgain()', () => {
  it.each([
    ['one quick attempt, and the mark is old enough', [quickWithin], old, true],
    ['a quick attempt beside one that was not slow', [quickWithin, slowAfter - 1], old, true],
    ['a quick attempt beside a slow one', [1, slowAfter], old, false],
    ['no quick attempt', [quickWithin + 1], old, false],
    ['no attempt', [], old, false],
    ['a mark that is too young', [1], old - 1, false],
    ['a mark that another clock made in the future', [1], slowSince - 1, false],
  ])('judges %s', (_, durations, now, expected) => {
    expect(isQuickAgain({ slowSince }, durations, now)).toBe(expected);
  });

  it('has nothing to clear on an endpoint without a mark', () => {
    expect(isQuickAgain({ slowSince: null }, [1], old)).toBe(false);
  });
});

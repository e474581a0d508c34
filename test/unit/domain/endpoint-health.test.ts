import { describe, expect, it } from 'vitest';
import { type Health, healthAfter } from '#shared/domain/endpoint-health.ts';
import type { Ended } from '#shared/domain/failure-streak.ts';

const failureStreak = null;
const healthy: Health = { failingSince: null, recoveredAt: null, failureStreak };
const failing: Health = { failingSince: 20, recoveredAt: 10, failureStreak };
const recovered: Health = { failingSince: null, recoveredAt: 30, failureStreak };
const ended = (status: Ended['status'], endedAt: number, isTest = false): Ended => ({
  deliveryId: `whd_${endedAt}`,
  status,
  endedAt,
  isTest,
});
const failedAt = (endedAt: number) => ended('failed', endedAt);
const deliveredAt = (endedAt: number) => ended('delivered', endedAt);
const times = ({ failingSince, recoveredAt }: Health) => [failingSince, recoveredAt];

describe('healthAfter()', () => {
  it.each<[string, Health, Ended, [failingSince: number | null, recoveredAt: number | null]]>([
    ['the first failure', healthy, failedAt(20), [20, null]],
    ['the failure of a test event', healthy, ended('failed', 20, true), [20, null]],
    ['a failure after a recovery', recovered, failedAt(31), [31, 30]],
    ['an earlier failure that is noted late', failing, failedAt(15), [15, 10]],
    ['the next delivered one', failing, deliveredAt(21), [null, 21]],
    ['one delivered in the same millisecond', failing, deliveredAt(20), [null, 20]],
  ])('changes with %s, whether or not failures are counted', (_, health, end, expected) => {
    expect(times(healthAfter(health, end, null))).toEqual(expected);
    expect(times(healthAfter(health, end, 3))).toEqual(expected);
  });

  it.each<[string, Health, Ended]>([
    ['a delivered one at a healthy endpoint', healthy, deliveredAt(20)],
    ['a failure from before the recovery', recovered, failedAt(29)],
    ['a failure in the millisecond of the recovery', recovered, failedAt(30)],
    ['a delivered one from before the failure', failing, deliveredAt(19)],
  ])('does not change with %s', (_, health, end) => {
    expect(healthAfter(health, end, null)).toBe(health);
    expect(healthAfter(health, end, 3)).toBe(health);
  });

  it('changes with another failure only where failures are counted', () => {
    expect(healthAfter(failing, failedAt(21), null)).toBe(failing);
    expect(healthAfter(failing, failedAt(21), 3)).toMatchObject({ ...failing, failureStreak: { since: 21 } });
  });

  it('does not count test events, delivered or failed', () => {
    const { failureStreak: streak, ...rest } = healthAfter(healthy, failedAt(20), 3);

    expect(healthAfter({ ...rest, failureStreak: streak }, ended('failed', 21, true), 3)).toMatchObject({
      failureStreak: streak,
    });
    expect(healthAfter({ ...rest, failureStreak: streak }, ended('delivered', 22, true), 3)).toEqual({
      failingSince: null,
      recoveredAt: 22,
      failureStreak: streak,
    });
  });

  it.each([
    { testAt: 22, deliveredIn: 25, recoveredAt: 25 },
    // It is noted late.
    { testAt: 25, deliveredIn: 22, recoveredAt: 25 },
  ])(
    'does not count a failure that ended before the streak did: a test event at $testAt, another at $deliveredIn',
    ({ testAt, deliveredIn, recoveredAt }) => {
      const tested = healthAfter(healthAfter(healthy, failedAt(20), 3), ended('delivered', testAt, true), 3);
      const counted = healthAfter(tested, deliveredAt(deliveredIn), 3);

      expect(counted).toMatchObject({ failingSince: null, recoveredAt, failureStreak: { since: null } });
      expect(healthAfter(counted, failedAt(20), 3)).toBe(counted);
      expect(healthAfter(counted, failedAt(24), 3)).toBe(counted);
    },
  );
});

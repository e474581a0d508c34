import { describe, expect, it } from 'vitest';
import { type Ended, type Health, healthAfter } from '#shared/domain/endpoint-health.ts';

const healthy: Health = { failingSince: null, recoveredAt: null };
const failing: Health = { failingSince: 20, recoveredAt: 10 };
const recovered: Health = { failingSince: null, recoveredAt: 30 };
const failedAt = (endedAt: number): Ended => ({ status: 'failed', endedAt });
const deliveredAt = (endedAt: number): Ended => ({ status: 'delivered', endedAt });

describe('healthAfter()', () => {
  it.each<[string, Health, Ended, Health]>([
    ['the first failure', healthy, failedAt(20), { failingSince: 20, recoveredAt: null }],
    ['a failure after a recovery', recovered, failedAt(31), { failingSince: 31, recoveredAt: 30 }],
    ['an earlier failure that is noted late', failing, failedAt(15), { failingSince: 15, recoveredAt: 10 }],
    ['the next delivered one', failing, deliveredAt(21), { failingSince: null, recoveredAt: 21 }],
    [
      'one delivered in the same millisecond',
      failing,
      deliveredAt(20),
      { failingSince: null, recoveredAt: 20 },
    ],
  ])('changes with %s', (_, health, ended, expected) => {
    expect(healthAfter(health, ended)).toEqual(expected);
  });

  it.each<[string, Health, Ended]>([
    ['a delivered one at a healthy endpoint', healthy, deliveredAt(20)],
    ['another failure', failing, failedAt(21)],
    ['a failure from before the recovery', recovered, failedAt(29)],
    ['a failure in the millisecond of the recovery', recovered, failedAt(30)],
    ['a delivered one from before the failure', failing, deliveredAt(19)],
  ])('does not change with %s', (_, health, ended) => {
    expect(healthAfter(health, ended)).toBe(health);
  });
});

import { describe, expect, it } from 'vitest';
import {
  attemptTimeout,
  claimGrace,
  claimLease,
  maxAttempts,
  nextAttemptAt,
} from '#shared/domain/retry-plan.ts';
import { queueFunctionTimeout } from '../../../lib/function-settings.ts';
import { startOfTest } from '../../support/values/builders.ts';
import plan from '../../vectors/retry-plan.json' with { type: 'json' };

describe('nextAttemptAt()', () => {
  it.each(plan.waits)('waits $wait ms after failed attempt $attempt', ({ attempt, wait }) => {
    expect(nextAttemptAt(attempt, startOfTest)).toBe(wait === null ? null : startOfTest + wait);
  });

  it('nextAttemptAt() allows three attempts in all', () => {
    expect(maxAttempts).toBe(3);
  });
});

describe('the lease of a claim', () => {
  it('the lease of a claim outlasts an attempt that starts as late as possible', () => {
    expect(claimGrace + attemptTimeout).toBeLessThan(claimLease);
  });

  it('the lease of a claim leaves the function time to record an attempt that starts as late as possible', () => {
    const recording = 5_000;

    expect(queueFunctionTimeout * 1000).toBeGreaterThanOrEqual(claimGrace + attemptTimeout + recording);
  });
});

import { expect, it } from 'vitest';
import { attemptTimeout, claimGrace, claimLease } from '#shared/domain/retry-plan.ts';
import { queueFunctionTimeout } from '../../../lib/functions/function-settings.ts';

it('the lease of a claim outlasts an attempt that starts as late as possible', () => {
  expect(claimGrace + attemptTimeout).toBeLessThan(claimLease);
});

it('the lease of a claim leaves the function time to record an attempt that starts as late as possible', () => {
  const recording = 5_000;

  expect(queueFunctionTimeout * 1000).toBeGreaterThanOrEqual(claimGrace + attemptTimeout + recording);
});

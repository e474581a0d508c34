import { expect, it } from 'vitest';
import { quietTime } from '#shared/operations/operator/delete-customer.ts';
import { useSmoke } from '../support/stack/use-smoke.ts';

const { newCustomer, smoke, reportOf } = useSmoke();

it('npm run smoke delivers a real event, passes the checks, and leaves no row of its customers', async () => {
  const customer = await newCustomer();

  const { code, printed, waits } = await smoke({ customer }, '--json');

  const report = await reportOf(customer, printed);
  const { passed, delivery, checks, steps, still_there, outcomes, rows } = report;
  expect(steps.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  expect([code, passed, still_there]).toEqual([0, true, []]);
  expect(outcomes).toMatchObject({
    'verify the handshake': 'passed',
    'deliver it': 'passed',
    'verify the delivery': 'passed',
    'conformance checks': 'passed',
  });
  expect(delivery?.accepted_to_post_ms).toBeGreaterThanOrEqual(0);
  expect(checks.failed).toEqual([]);
  expect(checks.passed).toBeGreaterThan(250);
  expect(checks.not_run.every(({ count, reason }) => count > 0 && reason !== '')).toBe(true);
  expect(rows).toEqual([{}, {}]);
  expect(Math.max(...waits)).toBeGreaterThan(quietTime / 2);
});

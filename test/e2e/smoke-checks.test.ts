import { expect, it } from 'vitest';
import { useSmoke } from '../support/stack/use-smoke.ts';

const { newCustomer, smoke, reportOf } = useSmoke();

it('npm run smoke delivers a real event, passes the checks, and leaves no row of its customers', async () => {
  const customer = await newCustomer();

  const { code, printed } = await smoke({ customer }, '--json');

  const { passed, checks, still_there, rows } = await reportOf(customer, printed);
  const { passed: held = [], ...others } = Object.groupBy(checks, ({ outcome }) => outcome);
  expect(others.failed).toBeUndefined();
  expect([code, passed, still_there, rows]).toEqual([0, true, [], [{}, {}]]);
  expect(held.length).toBeGreaterThan(250);
  expect(others.skipped?.every(({ reason = '' }) => reason !== '')).toBe(true);
});

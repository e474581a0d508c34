import { describe, expect, it } from 'vitest';
import { quietTime } from '#shared/operations/operator/delete-customer.ts';
import { realDelivery as groups } from '../../tools/conformance/checks/real-delivery.ts';
import { useSmoke } from '../support/stack/use-smoke.ts';

const { newCustomer, smoke, reportOf } = useSmoke();

describe('npm run smoke', () => {
  it('delivers a real event, and removes what it made', async () => {
    const customer = await newCustomer();

    const { code, printed, waits } = await smoke({ customer, groups }, '--json');

    const { checks, passed, rows, still_there } = await reportOf(customer, printed);
    expect(checks.map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'passed', 'passed']);
    expect([code, passed, still_there, rows]).toEqual([0, true, [], [{}, {}]]);
    expect(Math.max(...waits)).toBeGreaterThan(quietTime / 2);
  });

  it('removes the customers that it made when it is stopped', async () => {
    const customer = await newCustomer();

    const { code, output, printed } = await smoke({ customer, groups, stopAt: 'Created cus_' }, '--json');

    const { customers, passed, rows } = await reportOf(customer, printed);
    expect([code, output, passed]).toEqual([1, expect.stringContaining('The smoke test was stopped'), false]);
    expect([customers.length, rows]).toEqual([2, [{}, {}]]);
  });

  it('names the receiver that refuses the handshake, and removes what it made', async () => {
    const customer = await newCustomer();
    const url = `${customer.stack.receiver.origin}/smoke-refused?handshake=500`;

    const { code, output, printed } = await smoke({ customer, groups }, '--receiver', url);

    expect([code, output]).toEqual([1, expect.stringContaining('an event is delivered to a public receiver')]);
    expect(printed).toContain(`the handshake with ${url} failed`);
    expect(printed).toContain('SKIPPED 2: no plain_receiver.inbox_url is configured');
    expect(printed).not.toContain('Still there');
  });
});

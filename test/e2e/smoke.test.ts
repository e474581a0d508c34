import { describe, expect, it } from 'vitest';
import { quietTime } from '#shared/operations/operator/delete-customer.ts';
import { useSmoke } from '../support/stack/use-smoke.ts';

const { newCustomer, smoke, reportOf } = useSmoke();

describe('npm run smoke', () => {
  it('delivers a real event, and removes what it made when it is stopped before the checks', async () => {
    const customer = await newCustomer();
    const stopAfter = 'verify the delivery';

    const { code, printed, output, waits } = await smoke({ customer, stopAfter }, '--json');

    const { delivery, outcomes, rows, steps, still_there } = await reportOf(customer, printed);
    expect(steps.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect([code, output, still_there]).toEqual([1, expect.stringContaining('was stopped'), []]);
    expect(outcomes).toMatchObject({
      'verify the handshake': 'passed',
      'deliver it': 'passed',
      'verify the delivery': 'passed',
      'conformance checks': 'not_run',
      'delete the endpoints': 'passed',
      'delete the customers': 'passed',
    });
    expect(delivery?.accepted_to_post_ms).toBeGreaterThanOrEqual(0);
    expect(rows).toEqual([{}, {}]);
    expect(Math.max(...waits)).toBeGreaterThan(quietTime / 2);
  });

  it('names the receiver that refuses the handshake, and removes what it made', async () => {
    const customer = await newCustomer();
    const url = `${customer.stack.receiver.origin}/smoke-refused?handshake=500`;
    const stopAfter = 'register an endpoint';

    const { code, output, printed } = await smoke({ customer, stopAfter }, '--receiver', url);

    expect([code, output]).toEqual([1, expect.stringContaining(`The handshake with ${url} failed`)]);
    expect(printed).toMatch(/^register an endpoint +failed/m);
    expect(printed).toMatch(/^delete the endpoints +passed .*1 deleted/m);
  });
});

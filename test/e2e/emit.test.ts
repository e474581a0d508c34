import { describe, expect, it } from 'vitest';
import { emitProgram } from '../../operator/emit-program.ts';
import { runCommand, useOperator } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';

const stack = useStack();
const { stackFile } = useOperator();

describe('npm run emit -- --wait', () => {
  it('prints one line for each delivery once all have ended, and ends with 1 because one failed', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('one', '?fail_first=1'));
    const { webhook: other } = await customer.register(customer.receiver('two', '?status=503'));
    let printed = '';
    const make = () =>
      emitProgram((text) => {
        printed += text;
      });
    const args = ['run.settled', '--customer', customer.id, '--wait'];

    const { code, output } = await runCommand(make, [...args, '--stack-file', await stackFile(customer)]);

    const [sent, event, head, first = '', second = '', fault] = printed.trimEnd().split('\n');
    expect(sent).toMatch(new RegExp(`^Sent run\\.settled for ${customer.id}: Run run_\\w+$`));
    expect(event).toMatch(/^Event evt_\w+, accepted at 20\S+Z$/);
    expect(head).toMatch(/^DELIVERY +ENDPOINT +STATUS +ATTEMPTS +FIRST POST +RESPONSE$/);
    const rows = [first, second].toSorted((one, two) => one.slice(30).localeCompare(two.slice(30)));
    expect(rows).toEqual([
      expect.stringMatching(new RegExp(`^whd_\\w+ +${webhook.id} +delivered +2 +after \\d+ ms +200$`)),
      expect.stringMatching(new RegExp(`^whd_\\w+ +${other.id} +failed +3 +after \\d+ ms +503$`)),
    ]);
    expect(fault).toMatch(/^whd_\w+: The receiver responded with status 503\. Look for the error in the log/);
    expect([code, output]).toEqual([1, '1 of 2 deliveries failed']);
  });
});

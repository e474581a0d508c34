import { describe, expect, it } from 'vitest';
import { runAdmin, useOperator } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';

const stack = useStack();
const { stackFile } = useOperator();

describe('npm run admin', () => {
  it('prints a portal link on a line of its own, with how to end it', async () => {
    const customer = await stack.newCustomer();
    const on = ['--stack-file', await stackFile(customer)] as const;

    const { code, output } = await runAdmin('portal-link', '--customer', customer.id, ...on);

    const [head, url, ...rest] = output.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(head).toMatch(/^Link plk_\w+, until \d{4}-.*Z, shown only once:$/);
    expect(url).toMatch(/^http:\/\/\S+\/console#token=ptl_[\w-]{49}$/);
    expect(rest.at(-1)).toMatch(
      /^To end it earlier: npm run admin -- portal-link revoke --customer cus_\w+ --link plk_\w+$/,
    );
  });

  it.each([
    ['keys issue --customer cus_x', 'Customer cus_x not found. List them with: npm run admin -- '],
    ['keys revoke --customer cus_x --key aky_x', 'Customer cus_x has no key aky_x. '],
    ['connections revoke --connection con_x', 'Connection con_x not found. '],
    ['connections create --user u --organization cus_x', 'Customer cus_x not found. '],
    ['portal-link --customer cus_x', 'Customer cus_x not found. List them with: npm run admin -- '],
    [
      'portal-link revoke --customer cus_x --link plk_x',
      'Customer cus_x has no link plk_x. List them with: ',
    ],
  ])('says in one line why it cannot do %s', async (command, line) => {
    const file = await stackFile(await stack.newCustomer());

    const { code, output } = await runAdmin(...command.split(' '), '--stack-file', file);

    expect([code, output]).toEqual([1, expect.stringContaining(line)]);
    expect(output.split('\n')).toHaveLength(1);
  });
});

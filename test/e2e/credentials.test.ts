import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runAdmin, useOperator, withId, withKey, withToken } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';
import { Program } from '../support/stack/stack-process.ts';

const stack = useStack();
const { dir, stackFile, operate } = useOperator();

const refused = (status: number, code: string) => ({
  status,
  contentType: 'application/problem+json',
  body: { status, code },
});

describe('a credential of a customer', () => {
  it('a key is refused from the request after its revocation on, and stays in the list', async () => {
    const customer = await stack.newCustomer();
    const of = ['--customer', customer.id] as const;
    const key = withKey.parse(await operate(customer, 'keys', 'issue', ...of));
    expect(await customer.ask('GET', '/v1/webhooks', key.api_key)).toMatchObject({ status: 200 });

    await operate(customer, 'keys', 'revoke', ...of, '--key', key.id);

    expect(await customer.ask('GET', '/v1/webhooks', key.api_key)).toMatchObject(refused(401, 'key_revoked'));
    const keys = await operate(customer, 'keys', 'list', ...of);
    expect(keys).toMatchObject([{ id: key.id, revoked_at: expect.any(String) }, { revoked_at: null }]);
    expect(JSON.stringify(keys)).not.toContain(key.api_key);
  });

  it('an access token acts for the organization of its connection until access is revoked', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('hooks'));
    const { id } = withId.parse(await operate(customer, 'connections', 'create', '--user', 'user-1'));
    const on = ['--connection', id] as const;
    const { access_token: token } = withToken.parse(await operate(customer, 'tokens', 'mint', ...on));
    const ask = () => customer.ask('GET', '/v1/webhooks', token);

    const unselected = await ask();
    await operate(customer, 'connections', 'select-organization', ...on, '--organization', customer.id);
    const selected = await ask();
    await operate(customer, 'connections', 'revoke-access', ...on);
    const left = await ask();
    await operate(customer, 'connections', 'revoke', ...on);
    const revoked = await ask();

    expect(unselected).toMatchObject(refused(403, 'organization_not_selected'));
    expect(selected).toMatchObject({ status: 200, body: { items: [{ id: webhook.id }] } });
    expect(left).toMatchObject(refused(403, 'organization_access_revoked'));
    expect(revoked).toMatchObject(refused(401, 'connection_revoked'));
  });
});

describe('npm run admin', () => {
  it('lists customers as a table', async () => {
    const customer = await stack.newCustomer();
    const admin = fileURLToPath(new URL('../../bin/admin.ts', import.meta.url));
    const args = [admin, 'customers', 'list', '--stack-file', await stackFile(customer)];

    const program = await Program.start(process.execPath, args, { cwd: dir() });

    expect(await program.exited()).toBe(0);
    const [header = '', ...rows] = program.output.trimEnd().split('\n');
    expect(header).toMatch(/^ID +NAME +CREATED$/);
    const row = rows.find((line) => line.startsWith(customer.id)) ?? '';
    expect(row.indexOf('Customer of a test')).toBe(header.indexOf('NAME'));
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

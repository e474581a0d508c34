import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../local/parties/customer/customer-client.ts';
import { type Outcome, runAdmin, useOperator, withId, withKey, withToken } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';
import { Program } from '../support/stack/stack-process.ts';

const stack = useStack();
const admin = fileURLToPath(new URL('../../bin/admin.ts', import.meta.url));

const { dir, stackFile, operate } = useOperator();

/** Runs the operator's command line as it is typed. */
async function type(...args: readonly string[]): Promise<Outcome> {
  const program = await Program.start(process.execPath, [admin, ...args], { cwd: dir() });
  return { code: await program.exited(), output: program.output };
}

async function ask(
  customer: StackCustomer,
  credential: string,
): Promise<Answer & { readonly challenge: string | null }> {
  const response = await fetch(`${customer.stack.api_url}/v1/webhooks`, {
    headers: { Authorization: `Bearer ${credential}` },
  });
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    challenge: response.headers.get('x-amzn-remapped-www-authenticate'),
    body: await response.json(),
  };
}

const refused = (status: number, code: string) => ({
  status,
  contentType: 'application/problem+json',
  challenge: status === 401 ? 'Bearer' : null,
  body: { status, code },
});

describe('an access token', () => {
  it('an access token acts for the organization of its connection until access is revoked', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('hooks'));
    const { id } = withId.parse(await operate(customer, 'connections', 'create', '--user', 'user-1'));
    const on = ['--connection', id] as const;
    const { access_token: token } = withToken.parse(await operate(customer, 'tokens', 'mint', ...on));

    const unselected = await ask(customer, token);
    await operate(customer, 'connections', 'select-organization', ...on, '--organization', customer.id);
    const selected = await ask(customer, token);
    await operate(customer, 'connections', 'revoke-access', ...on);
    const left = await ask(customer, token);
    await operate(customer, 'connections', 'revoke', ...on);
    const revoked = await ask(customer, token);

    expect(unselected).toMatchObject(refused(403, 'organization_not_selected'));
    expect(selected).toMatchObject({ status: 200, body: { items: [{ id: webhook.id }] } });
    expect(left).toMatchObject(refused(403, 'organization_access_revoked'));
    expect(revoked).toMatchObject(refused(401, 'connection_revoked'));
  });

  it('an access token is refused when it is expired, has another audience, has no connection, or is malformed', async () => {
    const customer = await stack.newCustomer();
    const { id } = withId.parse(
      await operate(customer, 'connections', 'create', '--user', 'user-1', '--organization', customer.id),
    );
    const mint = async (...args: readonly string[]) =>
      withToken.parse(await operate(customer, 'tokens', 'mint', ...args)).access_token;
    const tokens = [
      await mint('--connection', id, '--expired'),
      await mint('--connection', id, '--audience', 'https://elsewhere.example.com'),
      await mint('--connection', customer.id),
      'a.b.c',
    ];

    const answers = await Promise.all(tokens.map((token) => ask(customer, token)));

    for (const answer of answers) expect(answer).toMatchObject(refused(401, 'invalid_token'));
  });
});

describe('npm run admin', () => {
  it('revokes a key at once, and lists it', async () => {
    const customer = await stack.newCustomer();
    const of = ['--customer', customer.id] as const;
    const key = withKey.parse(await operate(customer, 'keys', 'issue', ...of));
    expect(await ask(customer, key.api_key)).toMatchObject({ status: 200 });

    await operate(customer, 'keys', 'revoke', ...of, '--key', key.id);

    expect(await ask(customer, key.api_key)).toMatchObject(refused(401, 'key_revoked'));
    const keys = await operate(customer, 'keys', 'list', ...of);
    expect(keys).toMatchObject([{ id: key.id, revoked_at: expect.any(String) }, { revoked_at: null }]);
    expect(JSON.stringify(keys)).not.toContain(key.api_key);
  });

  it('lists customers as a table', async () => {
    const customer = await stack.newCustomer();

    const { code, output } = await type('customers', 'list', '--stack-file', await stackFile(customer));

    const [header = '', ...rows] = output.trimEnd().split('\n');
    expect([code, header]).toEqual([0, expect.stringMatching(/^ID +NAME +CREATED$/)]);
    const row = rows.find((line) => line.startsWith(customer.id)) ?? '';
    expect(row.indexOf('Customer of a test')).toBe(header.indexOf('NAME'));
  });

  const failures: readonly [string, readonly string[], RegExp][] = [
    [
      'an unknown customer',
      ['keys', 'issue', '--customer', 'cus_x'],
      /^Customer cus_x not found\. List them with: npm run/,
    ],
    [
      'an unknown key',
      ['keys', 'revoke', '--customer', 'cus_x', '--key', 'aky_x'],
      /^Customer cus_x has no key aky_x\. /,
    ],
    [
      'an unknown connection',
      ['connections', 'revoke', '--connection', 'con_x'],
      /^Connection con_x not found\. /,
    ],
    [
      'an unknown organization',
      ['connections', 'create', '--user', 'u', '--organization', 'cus_x'],
      /^Customer cus_x not found\. /,
    ],
  ];

  it.each(failures)('says in one line what to do about %s', async (_case, args, line) => {
    const file = await stackFile(await stack.newCustomer());

    const { code, output } = await runAdmin(...args, '--stack-file', file);

    expect([code, output]).toEqual([1, expect.stringMatching(line)]);
    expect(output.split('\n')).toHaveLength(1);
  });

  it('says in one line what to do about a deployed stage that mints no tokens, and ends with 2', async () => {
    const { code, output } = await runAdmin('tokens', 'mint', '--connection', 'con_x', '--stage', 'prod');

    expect([code, output]).toEqual([2, expect.stringMatching(/works on the local stack only/)]);
    expect(output.split('\n')).toHaveLength(1);
  });

  it('says in one line what to do about a mistyped command, and ends with 2, or 1 without a stack', async () => {
    const outcomes = await Promise.all([
      type('keys', 'issue'),
      type('customer'),
      type('customers', 'list', '--all'),
      type('customers', 'list', '--stack-file', 'missing.json'),
    ]);

    expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 2, 1]);
    expect(outcomes.map(({ output }) => output)).toEqual([
      "error: required option '--customer <id>' not specified; use --help for usage\n",
      "error: unknown command 'customer' (Did you mean customers?); use --help for usage\n",
      "error: unknown option '--all'; use --help for usage\n",
      'No local stack is running (missing.json is missing): run `npm start`, or name a stage with --stage\n',
    ]);
  });

  it.each(['{}', '{'])('says in one line what to do about a stack file that holds %j', async (content) => {
    const file = join(dir(), 'broken.json');
    await writeFile(file, content);

    const { output } = await runAdmin('customers', 'list', '--stack-file', file);

    expect(output).toBe(
      `${file} was not written by this version of the local stack: start it again with npm start`,
    );
  });

  it('says in one line that a stack has ended without removing its file', async () => {
    const customer = await stack.newCustomer();
    const file = join(dir(), 'stale.json');
    const endpoints = { ...customer.stack.endpoints, dynamodb: 'http://127.0.0.1:1' };
    await writeFile(file, JSON.stringify({ ...customer.stack, endpoints }));

    const { code, output } = await runAdmin('customers', 'list', '--stack-file', file);

    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^.*ECONNREFUSED.*start the local stack again.*$/),
    ]);
  });

  it('shows help for everything', async () => {
    const outcomes = await Promise.all([
      type('--help'),
      type('keys', '--help'),
      type('tokens', 'mint', '--help'),
    ]);

    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(outcomes.map(({ output }) => output.split('\n')[0])).toEqual([
      'Usage: npm run admin -- [options] [command]',
      'Usage: npm run admin -- keys [options] [command]',
      'Usage: npm run admin -- tokens mint [options]',
    ]);
  });
});

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashApiKey, makeApiKey } from '#shared/auth/api-key.ts';
import { authenticate } from '#shared/auth/authenticate.ts';
import { authenticateToken } from '#shared/auth/authenticate-token.ts';
import {
  markAccessRevoked,
  markRevoked,
  readConnection,
  storeConnection,
  storeOrganization,
} from '#shared/aws/table/connections.ts';
import { readCursorSecret } from '#shared/aws/table/cursor-secret.ts';
import {
  findApiKey,
  markApiKeyRevoked,
  readApiKeys,
  readCustomer,
  readCustomers,
  storeApiKey,
  storeCustomer,
} from '#shared/aws/table/customers.ts';
import { createConnection } from '#shared/operations/operator/create-connection.ts';
import { createCustomer } from '#shared/operations/operator/create-customer.ts';
import { issueApiKey } from '#shared/operations/operator/issue-api-key.ts';
import { listApiKeys } from '#shared/operations/operator/list-api-keys.ts';
import { revokeAccess } from '#shared/operations/operator/revoke-access.ts';
import { revokeApiKey } from '#shared/operations/operator/revoke-api-key.ts';
import { revokeConnection } from '#shared/operations/operator/revoke-connection.ts';
import { selectOrganization } from '#shared/operations/operator/select-organization.ts';
import { useTable } from '../support/aws/table.ts';
import { createClock } from '../support/operations/deps.ts';
import { startOfTest } from '../support/values/builders.ts';

const { current } = useTable();

/** The operator's side of one table, on a clock that the test moves. */
function operatorOf() {
  const table = current();
  const clock = createClock(startOfTest);
  const deps = { now: clock.now, randomBytes };
  return {
    clock,
    createCustomer: createCustomer({ ...deps, storeCustomer: storeCustomer(table) }),
    customers: readCustomers(table),
    issue: issueApiKey({
      ...deps,
      makeKey: makeApiKey,
      hashKey: hashApiKey,
      storeApiKey: storeApiKey(table),
    }),
    keys: listApiKeys({ readCustomer: readCustomer(table), readApiKeys: readApiKeys(table) }),
    revokeKey: revokeApiKey({ now: clock.now, markRevoked: markApiKeyRevoked(table) }),
    connect: createConnection({ ...deps, storeConnection: storeConnection(table) }),
    revoke: revokeConnection({ now: clock.now, markRevoked: markRevoked(table) }),
    select: selectOrganization({
      readConnection: readConnection(table),
      storeOrganization: storeOrganization(table),
    }),
    leave: revokeAccess({
      now: clock.now,
      readConnection: readConnection(table),
      markAccessRevoked: markAccessRevoked(table),
    }),
  };
}

/** What a request with a credential comes to; a token is the connection's id with dots. */
async function enter(credential: string): Promise<unknown> {
  const check = authenticate({
    findApiKey: findApiKey(current()),
    authenticateToken: authenticateToken({
      verifyToken: async (token) => token.split('.')[1] ?? '',
      readConnection: readConnection(current()),
    }),
  });
  return check(`Bearer ${credential}`).catch((error: unknown) => error);
}

const tokenOf = (connection: { readonly id: string } | null) => `t.${connection?.id}.t`;

describe('an API key', () => {
  it("an API key is refused from the moment it is revoked; the customer's other keys still work", async () => {
    const operator = operatorOf();
    const { id } = await operator.createCustomer('Acme');
    const [key, other] = [await operator.issue(id), await operator.issue(id)];
    expect(await enter(key?.key ?? '')).toMatchObject({ customerId: id });

    await operator.revokeKey(id, key?.stored.id ?? '');

    expect(await enter(key?.key ?? '')).toMatchObject({ code: 'key_revoked', status: 401 });
    expect(await enter(other?.key ?? '')).toMatchObject({ customerId: id });
  });

  it('an API key keeps the time of its first revocation', async () => {
    const operator = operatorOf();
    const { id } = await operator.createCustomer('Acme');
    const key = await operator.issue(id);

    const revoked = await operator.revokeKey(id, key?.stored.id ?? '');
    operator.clock.pass(1000);
    const again = await operator.revokeKey(id, key?.stored.id ?? '');

    expect(revoked).toEqual({ ...key?.stored, revokedAt: startOfTest });
    expect(again).toEqual(revoked);
    expect(await operator.keys(id)).toEqual([revoked]);
    expect(await findApiKey(current())(key?.stored.hash ?? '')).toEqual(revoked);
  });

  it('an API key is found only by its hash', async () => {
    const operator = operatorOf();
    const { id } = await operator.createCustomer('Acme');
    const { key = '', stored } = (await operator.issue(id)) ?? {};

    const found = [key, hashApiKey('key_unknown'), hashApiKey(key)].map(findApiKey(current()));

    expect(await Promise.all(found)).toEqual([null, null, stored]);
    expect(JSON.stringify(await operator.keys(id))).not.toContain(key);
  });

  it('an API key cannot be revoked through another customer', async () => {
    const operator = operatorOf();
    const [one, other] = [await operator.createCustomer('One'), await operator.createCustomer('Other')];
    const key = await operator.issue(one.id);

    expect(await operator.revokeKey(other.id, key?.stored.id ?? '')).toBeNull();
    expect(await operator.revokeKey('cus_unknown', 'aky_unknown')).toBeNull();

    expect(await enter(key?.key ?? '')).toMatchObject({ customerId: one.id });
  });
});

describe('lists', () => {
  it("the list of keys shows one customer's keys, newest first, including revoked ones", async () => {
    const operator = operatorOf();
    const [one, other] = [await operator.createCustomer('One'), await operator.createCustomer('Other')];
    await operator.issue(other.id);
    const issued: (string | undefined)[] = [];
    for (let index = 0; index < 3; index += 1) {
      issued.unshift((await operator.issue(one.id))?.stored.id);
      operator.clock.pass(1);
    }
    await operator.revokeKey(one.id, issued[1] ?? '');

    const keys = await operator.keys(one.id);

    expect(keys?.map(({ id }) => id)).toEqual(issued);
    expect(keys?.map(({ revokedAt }) => revokedAt !== null)).toEqual([false, true, false]);
  });

  it('the list of keys distinguishes a customer without keys from an unknown one, which gets no key', async () => {
    const operator = operatorOf();
    const { id } = await operator.createCustomer('Acme');

    expect(await operator.keys(id)).toEqual([]);
    expect(await operator.keys('cus_unknown')).toBeNull();
    expect(await operator.issue('cus_unknown')).toBeNull();
  });

  it('the list of customers shows all, even over several DynamoDB pages', async () => {
    const operator = operatorOf();
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      made.unshift((await operator.createCustomer('x'.repeat(300_000))).id);
      operator.clock.pass(1);
    }

    expect((await operator.customers()).map(({ id }) => id)).toEqual(made);
  });
});

describe('a connection', () => {
  it('a connection acts for its organization, which each request reads again', async () => {
    const operator = operatorOf();
    const [one, other] = [await operator.createCustomer('One'), await operator.createCustomer('Other')];
    const connection = await operator.connect('user-1', null);
    const token = tokenOf(connection);
    const id = connection?.id ?? '';

    const seen = [await enter(token)];
    await operator.select(id, one.id);
    seen.push(await enter(token));
    await operator.leave(id);
    seen.push(await enter(token));
    await operator.select(id, other.id);
    seen.push(await enter(token));
    await operator.revoke(id);
    seen.push(await enter(token));

    expect(seen).toMatchObject([
      { code: 'organization_not_selected' },
      { customerId: one.id, credentialId: id },
      { code: 'organization_access_revoked' },
      { customerId: other.id, credentialId: id },
      { code: 'connection_revoked' },
    ]);
  });

  it('does not exist until it is created', async () => {
    const operator = operatorOf();
    const customer = await operator.createCustomer('Acme');

    const changes = [
      await operator.revoke('con_unknown'),
      await operator.select('con_unknown', customer.id),
      await operator.leave('con_unknown'),
    ];

    expect(changes).toEqual([null, 'unknown_connection', 'unknown_connection']);
    expect(await enter('t.con_unknown.t')).toMatchObject({ code: 'invalid_token' });
    expect(await readConnection(current())('con_unknown')).toBeNull();
  });

  it('keeps the time at which access was first revoked, and is revoked for good, with that time', async () => {
    const operator = operatorOf();
    const customer = await operator.createCustomer('Acme');
    const connection = await operator.connect('user-1', customer.id);
    const id = connection?.id ?? '';

    for (const end of [operator.leave, operator.revoke]) await end(id);
    operator.clock.pass(1000);

    const ended = { ...connection, accessRevokedAt: startOfTest, revokedAt: startOfTest };
    expect(await operator.leave(id)).toEqual(ended);
    expect(await operator.revoke(id)).toEqual(ended);
    expect(await operator.select(id, customer.id)).toBe('connection_revoked');
    await expect(storeOrganization(current())(id, customer.id)).rejects.toThrow();
    expect(await enter(tokenOf(connection))).toMatchObject({ code: 'connection_revoked' });
  });

  it('selects customers only, and has no access to revoke before', async () => {
    const operator = operatorOf();
    const connection = await operator.connect('user-1', null);
    const id = connection?.id ?? '';

    expect(await operator.leave(id)).toBe('organization_not_selected');
    expect(await operator.select(id, 'cus_unknown')).toBe('unknown_organization');
    expect(await readConnection(current())(id)).toEqual(connection);
  });
});

describe('the secret of cursors', () => {
  it('is made once, however many functions ask for it first', async () => {
    const read = () => readCursorSecret(current(), randomBytes)();

    const secrets = await Promise.all(Array.from({ length: 10 }, read));

    const [first] = secrets;
    expect(first).toHaveLength(32);
    expect(secrets).toEqual(secrets.map(() => first));
    expect(await read()).toEqual(first);
  });
});

import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { markRevoked, readConnection, storeConnection } from '#shared/aws/table/credentials/connections.ts';
import { readCursorSecret } from '#shared/aws/table/credentials/cursor-secret.ts';
import {
  findApiKey,
  markApiKeyRevoked,
  readApiKeys,
  readCustomers,
  storeApiKey,
  storeCustomer,
} from '#shared/aws/table/credentials/customers.ts';
import { closeCustomer } from '#shared/aws/table/credentials/erase-customer.ts';
import {
  findPortalLink,
  markPortalLinkRevoked,
  readPortalLinks,
  storePortalLink,
} from '#shared/aws/table/credentials/portal-links.ts';
import { servingUnexpired } from '#shared/aws/unexpired-rows.ts';
import { revokeAccess, selectOrganization } from '#shared/operations/operator/connections.ts';
import { listCredentials } from '#shared/operations/operator/list-credentials.ts';
import { useTable } from '../support/aws/table.ts';
import { createClock, unexpected } from '../support/operations/deps.ts';
import {
  buildApiKey,
  buildConnection,
  buildPortalLink,
  hour,
  minute,
  startOfTest,
} from '../support/values/builders.ts';

const { current } = useTable();

const [one, other] = ['cus_one', 'cus_other'] as const;
beforeEach(async () => {
  for (const id of [one, other]) await storeCustomer(current(), { id, name: 'Acme', createdAt: startOfTest });
});

const apiKey = (name: string, customerId: string = one) =>
  buildApiKey({ id: `aky_${name}`, customerId, hash: `hash of ${name}` });

describe('API keys', () => {
  const find = (hash: string) => findApiKey(current(), hash);
  const revoke = (at: number, customerId: string = one) => markApiKeyRevoked(current(), customerId, 'aky_1', at);

  it('an API key is found only by its hash', async () => {
    const key = apiKey('1');

    expect(await storeApiKey(current(), key)).toBe(true);

    expect(await Promise.all([key.id, 'hash of 2', key.hash].map(find))).toEqual([null, null, key]);
  });

  it('an API key shows the time of its first revocation wherever it is read, and other keys stay valid', async () => {
    const keys = [apiKey('1'), apiKey('2')];
    for (const key of [...keys, apiKey('3', other)]) await storeApiKey(current(), key);
    const [first, second] = keys;

    expect(await revoke(startOfTest - 1, other), 'through another customer').toBeNull();
    const revoked = { ...first, revokedAt: startOfTest };
    expect([await revoke(startOfTest), await revoke(startOfTest + 1)]).toEqual([revoked, revoked]);

    expect(await Promise.all(keys.map(({ hash }) => find(hash)))).toEqual([revoked, second]);
    expect(await readApiKeys(current(), one), 'newest first, without those of others').toEqual([second, revoked]);
  });
});

it('the list of customers shows all, newest first, even over several DynamoDB pages', async () => {
  const ids = ['cus_1', 'cus_2', 'cus_3', 'cus_4', 'cus_5'];
  const name = 'x'.repeat(300_000);
  for (const id of ids) await storeCustomer(current(), { id, name, createdAt: startOfTest });

  const listed = (await readCustomers(current())).map(({ id }) => id);

  expect(listed).toEqual([other, one, ...ids.toReversed()]);
});

describe('a connection', () => {
  const connection = buildConnection({ organization: null });
  const { id } = connection;
  const clock = createClock(startOfTest);
  const read = () => readConnection(current(), id);
  const select = (organization: string) => selectOrganization(current(), id, organization);
  const leave = () => revokeAccess(current(), id, clock.now());
  const revoke = () => markRevoked(current(), id, clock.now());

  it('a connection acts for the organization that was selected last, from the next read on', async () => {
    await storeConnection(current(), connection);

    for (const [change, seen] of [
      [() => select(one), { organization: one }],
      [leave, { organization: one, accessRevokedAt: startOfTest }],
      [() => select(other), { organization: other }],
      [revoke, { organization: other, revokedAt: startOfTest }],
    ] as const) {
      expect(await change()).toEqual({ ...connection, ...seen });
      expect(await read()).toEqual({ ...connection, ...seen });
    }
  });

  it('a connection does not exist until it is created', async () => {
    expect(await Promise.all([revoke(), select(one), leave()])).toEqual([
      null,
      'unknown_connection',
      'unknown_connection',
    ]);
    expect(await read()).toBeNull();
  });

  it('a connection keeps the time at which access was first revoked, and is revoked for good, with that time', async () => {
    await storeConnection(current(), { ...connection, organization: one });
    for (const end of [leave, revoke]) await end();
    clock.pass(1000);

    const ended = { organization: one, accessRevokedAt: startOfTest, revokedAt: startOfTest };
    expect(await Promise.all([leave(), revoke()])).toMatchObject([ended, ended]);
    expect(await select(one)).toBe('connection_revoked');
  });

  it('a connection that is revoked while it selects an organization stays revoked', async () => {
    await storeConnection(current(), { ...connection, organization: one });
    const { client } = current();
    const transactWrite: typeof client.transactWrite = async (input) => {
      await revoke();
      await client.transactWrite(input);
    };

    const selected = await selectOrganization({ ...current(), client: { ...client, transactWrite } }, id, other);

    expect(selected).toBe('connection_revoked');
    expect(await read()).toEqual({ ...connection, organization: one, revokedAt: clock.now() });
  });

  it('a connection selects customers only, and has no access to revoke before', async () => {
    await storeConnection(current(), connection);

    expect(await leave()).toBe('organization_not_selected');
    expect(await select('cus_unknown')).toBe('unknown_organization');
    expect(await read()).toEqual(connection);
  });
});

describe('portal links', () => {
  const link = (name: string, endsAt: number, customerId: string = one) =>
    buildPortalLink({ id: `plk_${name}`, customerId, hash: `hash of ${name}`, endsAt });

  it('portal links are listed for one customer, newest first, until a day after their end', async () => {
    const clock = createClock(startOfTest);
    const table = { ...current(), client: servingUnexpired(current().client, clock.now) };
    const links = [link('1', startOfTest + hour), link('2', startOfTest + minute)];
    for (const each of [...links, link('3', startOfTest + hour, other)]) await storePortalLink(table, each);
    const [long, short] = links;

    expect(await readPortalLinks(table, one)).toEqual([short, long]);
    // The time of removal is in whole seconds.
    clock.pass(minute + 24 * hour - 1000);
    expect(await readPortalLinks(table, one)).toEqual([short, long]);
    clock.pass(2000);
    expect(await readPortalLinks(table, one)).toEqual([long]);
    expect(await findPortalLink(table, 'hash of 2'), 'the other row of the link').toBeNull();
  });

  it('a link whose customer is deleted before its revocation is stored is none to revoke', async () => {
    const stored = current();
    await storePortalLink(stored, link('1', startOfTest + hour));
    const scanner = { scan: unexpected('scan'), size: unexpected('size') };
    const transactWrite: typeof stored.client.transactWrite = async (input) => {
      await closeCustomer({ table: stored, scanner, now: () => startOfTest })(one);
      await stored.client.transactWrite(input);
    };
    const racing = { ...stored, client: { ...stored.client, transactWrite } };

    expect(await markPortalLinkRevoked(racing, one, 'plk_1', startOfTest)).toBeNull();
  });
});

it('lists of credentials tell a customer without any from an unknown customer', async () => {
  const list = (customer: string, read: typeof readApiKeys | typeof readPortalLinks) =>
    listCredentials<unknown>(current(), customer, read);

  for (const read of [readApiKeys, readPortalLinks])
    expect([await list(one, read), await list('cus_unknown', read)]).toEqual([[], null]);
});

it('the secret of cursors is made once, however many functions ask for it first', async () => {
  const read = () => readCursorSecret(current(), randomBytes);

  const secrets = await Promise.all(Array.from({ length: 10 }, read));

  const [first] = secrets;
  expect(first).toHaveLength(32);
  expect(secrets).toEqual(secrets.map(() => first));
  expect(await read()).toEqual(first);
});

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authenticateLink } from '#shared/auth/authenticate-link.ts';
import { hashCredential } from '#shared/auth/checked-token.ts';
import { makePortalCredential } from '#shared/auth/portal-credential.ts';
import { limitRequests } from '#shared/auth/rate-limit.ts';
import { readCustomer, storeCustomer } from '#shared/aws/table/customers.ts';
import { closeCustomer } from '#shared/aws/table/erase-customer.ts';
import { apiKeyKey, portalLinkKey, portalLinkListKey } from '#shared/aws/table/keys.ts';
import {
  findPortalLink,
  markPortalLinkRevoked,
  readPortalLinks,
  storePortalLink,
} from '#shared/aws/table/portal-links.ts';
import { admitRequest } from '#shared/aws/table/rate-windows.ts';
import { servingUnexpired } from '#shared/aws/unexpired-rows.ts';
import { createCustomer } from '#shared/operations/operator/create-customer.ts';
import { createPortalLink } from '#shared/operations/operator/create-portal-link.ts';
import { listPortalLinks } from '#shared/operations/operator/list-portal-links.ts';
import { revokePortalLink } from '#shared/operations/operator/revoke-portal-link.ts';
import { useTable } from '../support/aws/table.ts';
import { createClock, unexpected } from '../support/operations/deps.ts';
import { minute, startOfTest } from '../support/values/builders.ts';

const { current } = useTable();

const day = 24 * 60 * minute;
const backoff = { wait: async () => {}, random: () => 0 };
const scanner = { scan: unexpected('scan'), size: unexpected('size') };

/** The operator's side and a door, on a clock that the test moves. */
function openWorld() {
  const stored = current();
  const clock = createClock(startOfTest);
  const table = { ...stored, client: servingUnexpired(stored.client, clock.now) };
  const deps = { now: clock.now, randomBytes };
  const authenticate = authenticateLink({ now: clock.now, findPortalLink: findPortalLink(table) });
  return {
    stored,
    clock,
    table,
    createCustomer: createCustomer({ ...deps, storeCustomer: storeCustomer(table) }),
    create: createPortalLink({
      ...deps,
      makeCredential: makePortalCredential,
      hashCredential,
      readCustomer: readCustomer(table),
      storePortalLink: storePortalLink(table),
      baseUrl: 'https://api.example.com',
    }),
    list: listPortalLinks({ readCustomer: readCustomer(table), readPortalLinks: readPortalLinks(table) }),
    revoke: revokePortalLink({ now: clock.now, markRevoked: markPortalLinkRevoked(table) }),
    enter: (link: { readonly url: string } | null) =>
      authenticate(link?.url.replace(/^.*#token=/, '') ?? '').catch((error: unknown) => error),
  };
}

const ended = { code: 'portal_link_ended', status: 401 };

describe('a portal link', () => {
  it('a portal link acts for its customer alone, and ends at its time to the millisecond', async () => {
    const { createCustomer: add, create, enter, clock } = openWorld();
    const [one, other] = [await add('One'), await add('Other')];
    const [link, another] = [await create(one.id, 1), await create(other.id, 1)];

    expect(await enter(link)).toEqual({
      customerId: one.id,
      credentialId: link?.link.id,
      endsAt: startOfTest + minute,
    });
    expect(await enter(another)).toMatchObject({ customerId: other.id });
    clock.pass(minute - 1);
    expect(await enter(link)).toMatchObject({ customerId: one.id });
    clock.pass(1);
    expect(await enter(link)).toMatchObject(ended);
  });

  it('a portal link is refused from the moment it is revoked; other links of the customer still work', async () => {
    const { createCustomer: add, create, enter, revoke, clock } = openWorld();
    const { id } = await add('Acme');
    const [link, other] = [await create(id, 60), await create(id, 60)];
    clock.pass(1000);

    const revoked = await revoke(id, link?.link.id ?? '');

    expect(revoked).toEqual({ ...link?.link, revokedAt: startOfTest + 1000 });
    expect(await enter(link)).toMatchObject(ended);
    expect(await enter(other)).toMatchObject({ customerId: id });
    clock.pass(1000);
    expect(await revoke(id, link?.link.id ?? '')).toEqual(revoked);
  });

  it('a portal link is stored as two rows with the hash of its credential, and never with the credential', async () => {
    const { createCustomer: add, create, stored } = openWorld();
    const { id } = await add('Acme');
    const made = await create(id, 60);
    const { hash = '', id: linkId = '' } = made?.link ?? {};
    const credential = made?.url.replace(/^.*#token=/, '') ?? '';

    const rows = await Promise.all(
      [portalLinkKey(hash), portalLinkListKey(id, linkId), apiKeyKey(hash)].map(
        async (Key) => (await stored.client.get({ TableName: stored.name, Key })).Item,
      ),
    );

    const facts = {
      id: linkId,
      customer_id: id,
      hash: hashCredential(credential),
      created_at: startOfTest,
      ends_at: startOfTest + 60 * minute,
      expires_at: Math.ceil((startOfTest + 60 * minute + day) / 1000),
    };
    expect(rows).toEqual([
      { ...portalLinkKey(hash), ...facts },
      { ...portalLinkListKey(id, linkId), ...facts },
      undefined,
    ]);
    expect(JSON.stringify(rows)).not.toContain(credential.slice(4, 20));
  });

  it('a portal link has a request limit of its own', async () => {
    const { createCustomer: add, create, table, clock } = openWorld();
    const { id } = await add('Acme');
    const [link, other] = [await create(id, 60), await create(id, 60)];
    const limit = limitRequests({ now: clock.now, randomBytes, admitRequest: admitRequest(table) });
    for (let request = 0; request < 60; request += 1) await limit(link?.link.id ?? '');

    expect(await limit(link?.link.id ?? '')).toMatchObject({ admitted: false });
    expect(await limit(other?.link.id ?? '')).toMatchObject({ admitted: true });
  });
});

describe('the list of links', () => {
  it('shows the links of one customer, newest first, until a day after their end', async () => {
    const { createCustomer: add, create, list, clock, enter } = openWorld();
    const [one, other] = [await add('One'), await add('Other')];
    await create(other.id, 60);
    const short = await create(one.id, 1);
    clock.pass(1);
    const long = await create(one.id, 60);

    expect((await list(one.id))?.map(({ id }) => id)).toEqual([long?.link.id, short?.link.id]);
    // The time of removal is in whole seconds.
    clock.pass(minute + day + 1000);
    expect((await list(one.id))?.map(({ id }) => id)).toEqual([long?.link.id]);
    expect(await enter(short)).toMatchObject({ code: 'invalid_key' });
    expect(await list('cus_unknown')).toBeNull();
  });
});

describe('the deletion of a customer', () => {
  it('ends its portal links at once, and none can be created from then on', async () => {
    const { createCustomer: add, create, enter, revoke, stored, clock } = openWorld();
    const { id } = await add('Acme');
    const link = await create(id, 60);

    await closeCustomer({ table: stored, scanner, backoff, now: clock.now })(id);

    expect(await enter(link)).toMatchObject({ code: 'invalid_key' });
    expect(await create(id, 60)).toBeNull();
    expect(await revoke(id, link?.link.id ?? '')).toBeNull();
  });

  it('ends a link before its revocation does, and then there is none to revoke', async () => {
    const { createCustomer: add, create, stored, clock } = openWorld();
    const { id } = await add('Acme');
    const link = await create(id, 60);
    const transactWrite: typeof stored.client.transactWrite = async (input) => {
      await closeCustomer({ table: stored, scanner, backoff, now: clock.now })(id);
      await stored.client.transactWrite(input);
    };
    const racing = { ...stored, client: { ...stored.client, transactWrite } };

    expect(await markPortalLinkRevoked(racing)(id, link?.link.id ?? '', startOfTest)).toBeNull();
  });

  it('leaves no link that works, at whatever point of its creation the customer is deleted', async () => {
    for (const step of ['before the first read', 'before the write', 'before the last read'] as const) {
      const world = openWorld();
      const { id } = await world.createCustomer('Acme');
      const close = closeCustomer({ table: world.stored, scanner, backoff, now: world.clock.now });
      let reads = 0;
      let writes = 0;
      const create = createPortalLink({
        now: world.clock.now,
        randomBytes,
        makeCredential: makePortalCredential,
        hashCredential,
        readCustomer: async (customer) => {
          reads += 1;
          if (step === (reads === 1 ? 'before the first read' : 'before the last read')) await close(id);
          return readCustomer(world.table)(customer);
        },
        storePortalLink: async (link) => {
          writes += 1;
          if (step === 'before the write') await close(id);
          await storePortalLink(world.table)(link);
        },
        baseUrl: 'https://api.example.com',
      });

      expect(await create(id, 60), step).toBeNull();
      expect(writes).toBe(step === 'before the first read' ? 0 : 1);
    }
  });
});

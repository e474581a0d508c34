import { describe, expect, it } from 'vitest';
import { authenticateLink } from '#shared/auth/authenticate.ts';
import { hashCredential, makePortalCredential } from '#shared/auth/checked-token.ts';
import { isOwnId } from '#shared/domain/ids.ts';
import type { PortalLink } from '#shared/domain/portal-link.ts';
import { createPortalLink } from '#shared/operations/operator/create-portal-link.ts';
import { countingBytes, createJournal } from '../../../support/operations/deps.ts';
import { customerId, startOfTest } from '../../../support/values/builders.ts';

const customer = { id: customerId, name: 'Acme', createdAt: startOfTest };

/** @param isThere whether the customer exists at each read */
function createWorld(...isThere: boolean[]) {
  const links: PortalLink[] = [];
  const { entries, note } = createJournal();
  const create = createPortalLink({
    now: () => startOfTest,
    randomBytes: countingBytes(),
    makeCredential: makePortalCredential,
    hashCredential,
    readCustomer: note('read', async () => (isThere.shift() === true ? customer : null)),
    storePortalLink: note('store', async (link: PortalLink) => void links.push(link)),
    baseUrl: 'https://api.example.com/prod',
  });
  return { links, entries, create };
}

describe('createPortalLink()', () => {
  it('returns an address whose fragment authenticates the customer, and stores only its hash', async () => {
    const { links, create } = createWorld(true, true);

    const created = await create(customerId, { minutes: 90, readOnly: true });

    const url = new URL(created?.url ?? '');
    expect(url.origin + url.pathname + url.search).toBe('https://api.example.com/prod/console');
    const credential = url.hash.replace(/^#token=/, '');
    const enter = authenticateLink({
      now: () => startOfTest,
      findPortalLink: async (hash) => links.find((link) => link.hash === hash) ?? null,
    });
    await expect(enter(credential)).resolves.toMatchObject({ customerId });
    expect(links).toEqual([
      {
        id: created?.link.id,
        customerId,
        hash: hashCredential(credential),
        createdAt: startOfTest,
        endsAt: startOfTest + 90 * 60_000,
        readOnly: true,
        revokedAt: null,
      },
    ]);
    expect(isOwnId('portalLink', created?.link.id ?? '')).toBe(true);
    expect(JSON.stringify(links)).not.toContain(credential.slice(4));
  });

  it('tells nobody the credential when the customer was deleted while the link was stored', async () => {
    const { entries, create } = createWorld(true, false);

    await expect(create(customerId, { minutes: 60, readOnly: false })).resolves.toBeNull();
    expect(entries).toEqual(['read', 'store', 'read']);
  });
});

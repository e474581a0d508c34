import { describe, expect, it } from 'vitest';
import { authenticateLink } from '#shared/auth/authenticate.ts';
import { hashCredential, makePortalCredential } from '#shared/auth/checked-token.ts';
import { customerKey } from '#shared/aws/table/keys.ts';
import { isOwnId } from '#shared/domain/ids.ts';
import { createPortalLink } from '#shared/operations/operator/create-portal-link.ts';
import { countingBytes } from '../../../support/operations/deps.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import { buildPortalLink, customerId, minute, startOfTest } from '../../../support/values/builders.ts';

/** A table with a customer. @param isRemoved whether it is removed while a link is stored */
function createWorld(isRemoved = false) {
  const asking = (request: string) => {
    if (isRemoved && request === 'transaction') world.records.remove(customerKey(customerId));
  };
  const world = recordStore({ asking });
  world.records.addCustomer(customerId);
  const create = createPortalLink({
    table: world.table,
    now: () => startOfTest,
    randomBytes: countingBytes(),
    makeCredential: makePortalCredential,
    hashCredential,
    baseUrl: 'https://api.example.com/prod',
  });
  return { ...world, create };
}

describe('createPortalLink()', () => {
  it('returns an address whose fragment authenticates the customer, and stores only its hash', async () => {
    const { table, records, create } = createWorld();

    const created = await create(customerId, { minutes: 90, readOnly: true });

    const url = new URL(created?.url ?? '');
    expect(url.origin + url.pathname + url.search).toBe('https://api.example.com/prod/console');
    const credential = url.hash.replace(/^#token=/, '');
    const enter = authenticateLink({ table, now: () => startOfTest });
    await expect(enter(credential)).resolves.toMatchObject({ customerId });
    const id = created?.link.id ?? '';
    const stored = { id, hash: hashCredential(credential), endsAt: startOfTest + 90 * minute, readOnly: true };
    expect([...records.portalLinks.values()]).toEqual([buildPortalLink(stored)]);
    expect(isOwnId('portalLink', id)).toBe(true);
    expect(JSON.stringify(records.rows())).not.toContain(credential.slice(4));
  });

  it('tells nobody the credential when the customer was deleted while the link was stored', async () => {
    const { records, create } = createWorld(true);

    await expect(create(customerId, { minutes: 60, readOnly: false })).resolves.toBeNull();
    expect(records.portalLinks.size).toBe(1);
  });
});

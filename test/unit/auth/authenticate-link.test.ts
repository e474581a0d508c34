import { describe, expect, it } from 'vitest';
import { authenticate, authenticateLink } from '#shared/auth/authenticate.ts';
import { hashCredential, makePortalCredential } from '#shared/auth/checked-token.ts';
import { storePortalLink } from '#shared/aws/table/credentials/portal-links.ts';
import { Problem, problemDocument } from '#shared/contract/problem.ts';
import type { PortalLink } from '#shared/domain/portal-link.ts';
import { createClock } from '../../support/operations/deps.ts';
import { recordStore } from '../../support/table/record-store.ts';
import { buildPortalLink, customerId, hour, minute, startOfTest } from '../../support/values/builders.ts';

const random = new Uint8Array(32).fill(7);
const credential = makePortalCredential(random);
const stored = buildPortalLink({ hash: hashCredential(credential) });

/** A table with a link, and the requests to it. */
async function doorOf(...links: PortalLink[]) {
  const clock = createClock(startOfTest);
  const { table, asked } = recordStore();
  for (const link of links) await storePortalLink(table, link);
  asked.length = 0;
  const enter = authenticate({ table, authenticateLink: authenticateLink({ table, now: clock.now }) });
  const refusal = (header: string) => enter(header).catch((error: unknown) => error);
  return { lookups: asked, clock, enter, refusal };
}

describe('the credential of a portal link', () => {
  it('acts for the customer of its link, under the id of the link, until the end of the link', async () => {
    const { enter, lookups } = await doorOf(stored);

    const principal = await enter(`Bearer ${credential}`);

    expect(principal).toEqual({ customerId, credentialId: 'plk_1', endsAt: stored.endsAt, readOnly: false });
    expect(lookups).toHaveLength(1);
  });

  it('may only read when its link may only read', async () => {
    const { enter } = await doorOf({ ...stored, readOnly: true });

    await expect(enter(`Bearer ${credential}`)).resolves.toMatchObject({ customerId, readOnly: true });
  });

  it('works in the last millisecond before its end, and never from the end on', async () => {
    const { enter, refusal, clock } = await doorOf(stored);

    clock.pass(hour - 1);
    await expect(enter(`Bearer ${credential}`)).resolves.toMatchObject({ customerId });
    for (const later of [1, 1, 24 * hour]) {
      clock.pass(later);
      expect(await refusal(`Bearer ${credential}`)).toMatchObject({ code: 'portal_link_ended', status: 401 });
    }
  });

  it.each([-1, 0, minute])('is refused after a revocation that its clock sees in %i ms', async (after) => {
    const { refusal } = await doorOf({ ...stored, revokedAt: startOfTest + after });

    expect(await refusal(`Bearer ${credential}`)).toMatchObject({ code: 'portal_link_ended', status: 401 });
  });

  it.each([
    ['with one changed character', credential.replace('ptl_B', 'ptl_C')],
    ['without anything after its prefix', 'ptl_'],
    ['in the form of a token', 'ptl_a.b.c'],
  ])('is invalid_key when it is %s, without a read', async (_, given) => {
    const { refusal, lookups } = await doorOf(stored);

    expect(await refusal(`Bearer ${given}`)).toMatchObject({ code: 'invalid_key', status: 401 });
    expect(lookups).toEqual([]);
  });

  it('is invalid_key when it is not known, with a detail about links and without the credential', async () => {
    const { refusal, lookups } = await doorOf();

    const problem = await refusal(`Bearer ${credential}`);

    if (!(problem instanceof Problem)) throw new Error('There is no problem');
    const document = problemDocument(problem, 'https://docs.example.com');
    expect(document).toMatchObject({
      code: 'invalid_key',
      detail: 'The portal link is not known here: open the whole link, or ask for a new one',
    });
    expect(JSON.stringify(document)).not.toContain(credential.slice(4));
    expect(String(problem.stack)).not.toContain(credential.slice(4));
    expect(lookups).toHaveLength(1);
  });

  it('a failure of the table is the failure of the service, not of the credential', async () => {
    const asking = () => {
      throw new Error('throttled');
    };
    const { table } = recordStore({ asking });
    const enter = authenticateLink({ table, now: () => startOfTest });

    await expect(enter(credential)).rejects.toThrow('throttled');
  });
});

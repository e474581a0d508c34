import { describe, expect, it } from 'vitest';
import { authenticate, authenticateLink } from '#shared/auth/authenticate.ts';
import { hashCredential, makePortalCredential } from '#shared/auth/checked-token.ts';
import { Problem, problemDocument } from '#shared/contract/problem.ts';
import type { PortalLink } from '#shared/domain/portal-link.ts';
import { createClock, unexpected } from '../../support/operations/deps.ts';
import { customerId, minute, startOfTest } from '../../support/values/builders.ts';

const random = new Uint8Array(32).fill(7);
const credential = makePortalCredential(random);
const stored: PortalLink = {
  id: 'plk_1',
  customerId,
  hash: hashCredential(credential),
  createdAt: startOfTest,
  endsAt: startOfTest + 60 * minute,
  readOnly: false,
  revokedAt: null,
};

/** Stored links, and the hashes that were looked up. */
function doorOf(...links: PortalLink[]) {
  const lookups: string[] = [];
  const clock = createClock(startOfTest);
  const findPortalLink = async (hash: string) => {
    lookups.push(hash);
    return links.find((candidate) => candidate.hash === hash) ?? null;
  };
  const enter = authenticate({
    findApiKey: unexpected('findApiKey'),
    authenticateLink: authenticateLink({ now: clock.now, findPortalLink }),
  });
  const refusal = (header: string) => enter(header).catch((error: unknown) => error);
  return { lookups, clock, enter, refusal };
}

describe('the credential of a portal link', () => {
  it('acts for the customer of its link, under the id of the link, until the end of the link', async () => {
    const { enter, lookups } = doorOf(stored);

    const principal = await enter(`Bearer ${credential}`);

    expect(principal).toEqual({ customerId, credentialId: 'plk_1', endsAt: stored.endsAt, readOnly: false });
    expect(lookups).toEqual([hashCredential(credential)]);
  });

  it('may only read when its link may only read', async () => {
    const { enter } = doorOf({ ...stored, readOnly: true });

    await expect(enter(`Bearer ${credential}`)).resolves.toMatchObject({ customerId, readOnly: true });
  });

  it('works in the last millisecond before its end, and never from the end on', async () => {
    const { enter, refusal, clock } = doorOf(stored);

    clock.pass(60 * minute - 1);
    await expect(enter(`Bearer ${credential}`)).resolves.toMatchObject({ customerId });
    for (const later of [1, 1, 24 * 60 * minute]) {
      clock.pass(later);
      expect(await refusal(`Bearer ${credential}`)).toMatchObject({ code: 'portal_link_ended', status: 401 });
    }
  });

  it.each([-1, 0, minute])('is refused after a revocation that its clock sees in %i ms', async (after) => {
    const { refusal } = doorOf({ ...stored, revokedAt: startOfTest + after });

    expect(await refusal(`Bearer ${credential}`)).toMatchObject({ code: 'portal_link_ended', status: 401 });
  });

  it.each([
    ['with one changed character', credential.replace('ptl_B', 'ptl_C')],
    ['without anything after its prefix', 'ptl_'],
    ['in the form of a token', 'ptl_a.b.c'],
  ])('is invalid_key when it is %s, without a read', async (_, given) => {
    const { refusal, lookups } = doorOf(stored);

    expect(await refusal(`Bearer ${given}`)).toMatchObject({ code: 'invalid_key', status: 401 });
    expect(lookups).toEqual([]);
  });

  it('is invalid_key when it is not known, with a detail about links and without the credential', async () => {
    const { refusal, lookups } = doorOf();

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

  it('is invalid_key where no console is served, without a read', async () => {
    const enter = authenticate({ findApiKey: unexpected('findApiKey') });

    await expect(enter(`Bearer ${credential}`)).rejects.toMatchObject({ code: 'invalid_key' });
  });

  it('a failure of the table is the failure of the service, not of the credential', async () => {
    const enter = authenticateLink({
      now: () => startOfTest,
      findPortalLink: () => Promise.reject(new Error('throttled')),
    });

    await expect(enter(credential)).rejects.toThrow('throttled');
  });
});

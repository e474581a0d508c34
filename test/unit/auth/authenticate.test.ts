import { describe, expect, it } from 'vitest';
import { authenticate } from '#shared/auth/authenticate.ts';
import { hashCredential, makeApiKey } from '#shared/auth/checked-token.ts';
import { storeApiKey } from '#shared/aws/table/credentials/customers.ts';
import { Problem, problemDocument } from '#shared/contract/problem.ts';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import { unexpected } from '../../support/operations/deps.ts';
import { recordStore } from '../../support/table/record-store.ts';
import { buildApiKey, customerId, startOfTest } from '../../support/values/builders.ts';

const authenticateLink = unexpected('authenticateLink');

const key = makeApiKey(new Uint8Array(32).fill(7));
const stored = buildApiKey({ hash: hashCredential(key) });

/** A table with keys, and the requests to it. */
async function storeOf(...keys: StoredApiKey[]) {
  const { table, records, asked } = recordStore();
  records.addCustomer(customerId);
  for (const each of keys) await storeApiKey(table, each);
  asked.length = 0;
  return { lookups: asked, table, authenticate: authenticate({ table, authenticateLink }) };
}

describe('authenticate()', () => {
  it.each([`Bearer ${key}`, `bearer ${key}`, `bEaReR ${key}`, `Bearer   ${key}  `])(
    'finds the customer of the key in %j',
    async (authorization) => {
      const store = await storeOf(stored);

      expect(await store.authenticate(authorization)).toEqual({ customerId, credentialId: 'aky_1' });
      expect(store.lookups).toEqual(['get KEY']);
    },
  );

  /** The refusal of a header, which must not lead to a read. */
  async function refusedUnread(authorization: string | undefined) {
    const { authenticate, lookups } = await storeOf(stored);
    const refusal = await authenticate(authorization).catch((error: unknown) => error);
    expect(lookups).toEqual([]);
    return refusal;
  }

  it.each([
    [undefined, /^Send the header `Authorization: Bearer key_…` with your API key or access token$/],
    ['', /^Send the header/],
    ['  ', /^Send the header/],
    [key, /^The header `Authorization` does not begin with the word `Bearer`: send `Authorization: Bearer key_…`$/],
    [`Basic ${key}`, /does not begin with the word `Bearer`/],
    [`Bearer\t${key}`, /does not begin|has not exactly/],
    [`Bearer${key}`, /does not begin/],
    [`Token Bearer ${key}`, /does not begin/],
    [`Bearer ${key}, Bearer ${key}`, /has not exactly/],
    ['Bearer ', /has not exactly/],
    ['Bearer', /has not exactly one credential after the word `Bearer`/],
    [`bearer ${key} ${key}`, /has not exactly one credential after the word `Bearer`/],
  ])('says how to send the key when the header is %j, without repeating it', async (authorization, detail) => {
    const failure = await refusedUnread(authorization);

    expect(failure).toMatchObject({ code: 'missing_authorization', status: 401 });
    if (!(failure instanceof Problem)) throw new Error('There is no problem');
    const document = problemDocument(failure, 'https://docs.example.com');
    expect(document.detail).toMatch(detail);
    expect(JSON.stringify(document)).not.toContain(key);
  });

  it.each([
    ['one changed letter', key.replace('key_B', 'key_C')],
    ['something else', 'swordfish'],
    ['one dot', 'a.b'],
    ['three dots', 'a.b.c.d'],
  ])('answers invalid_key to a credential with %s, without a read', async (_, credential) => {
    expect(await refusedUnread(`Bearer ${credential}`)).toMatchObject({ code: 'invalid_key', status: 401 });
  });

  it.each([
    ['invalid_key', 'a well-formed key that was never issued', []],
    ['key_revoked', 'a revoked key', [{ ...stored, revokedAt: startOfTest }]],
  ])('answers %s to %s', async (code, _case, keys) => {
    const store = await storeOf(...keys);

    await expect(store.authenticate(`Bearer ${key}`)).rejects.toMatchObject({ code, status: 401 });
  });

  it.each(['a.b.c', '..', 'eyJhbGciOiJub25lIn0.e30.', 'key_a.b.c'])(
    'answers invalid_token to %s, as no issuer is configured',
    async (token) => {
      expect(await refusedUnread(`Bearer ${token}`)).toMatchObject({ code: 'invalid_token', status: 401 });
    },
  );

  it('verifies a token with the configured issuer, and never an API key', async () => {
    const tokens: string[] = [];
    const authenticateToken = async (token: string) => {
      tokens.push(token);
      return { customerId: 'cus_of_token', credentialId: 'con_1' };
    };
    const { table } = await storeOf(stored);
    const check = authenticate({ table, authenticateToken, authenticateLink });

    await expect(check('Bearer a.b.c')).resolves.toEqual({
      customerId: 'cus_of_token',
      credentialId: 'con_1',
    });
    await expect(check(`Bearer ${key}`)).resolves.toMatchObject({ customerId });
    expect(tokens).toEqual(['a.b.c']);
  });

  it('does not put the credential into the error', async () => {
    const failure = await (await storeOf()).authenticate(`Bearer ${key}`).catch(String);

    expect(failure).not.toContain(key);
  });

  it('throws the failure of the store', async () => {
    const asking = () => {
      throw new Error('throttled');
    };
    const { table } = recordStore({ asking });
    const check = authenticate({ table, authenticateLink });

    await expect(check(`Bearer ${key}`)).rejects.toThrow('throttled');
  });
});

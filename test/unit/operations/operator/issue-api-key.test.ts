import { describe, expect, it } from 'vitest';
import { authenticate } from '#shared/auth/authenticate.ts';
import { hashCredential, makeApiKey } from '#shared/auth/checked-token.ts';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import { isOwnId } from '#shared/domain/ids.ts';
import { createCustomer } from '#shared/operations/operator/create-customer.ts';
import { issueApiKey } from '#shared/operations/operator/issue-api-key.ts';
import { countingBytes } from '../../../support/operations/deps.ts';
import { customerId, startOfTest } from '../../../support/values/builders.ts';

const now = () => startOfTest;

it('createCustomer() stores a customer under a new id', async () => {
  const stored: unknown[] = [];
  const create = createCustomer({
    now,
    randomBytes: countingBytes(),
    storeCustomer: async (customer) => stored.push(customer) > 0,
  });

  const [first, second] = [await create('Acme'), await create('Acme')];

  expect(first).toEqual({ id: first.id, name: 'Acme', createdAt: startOfTest });
  expect(isOwnId('customer', first.id)).toBe(true);
  expect(second.id).not.toBe(first.id);
  expect(stored).toEqual([first, second]);
});

describe('issueApiKey()', () => {
  const issuer = (keys: StoredApiKey[], known: boolean) =>
    issueApiKey({
      now,
      randomBytes: countingBytes(),
      makeKey: makeApiKey,
      hashKey: hashCredential,
      storeApiKey: async (key) => {
        keys.push(key);
        return known;
      },
    });

  it('returns a key that authenticates its customer, and stores only its hash', async () => {
    const keys: StoredApiKey[] = [];

    const issued = await issuer(keys, true)(customerId);

    const key = issued?.key ?? '';
    const check = authenticate({
      findApiKey: async (hash) => keys.find((stored) => stored.hash === hash) ?? null,
    });
    await expect(check(`Bearer ${key}`)).resolves.toEqual({ customerId, credentialId: keys[0]?.id });
    expect(keys).toEqual([
      {
        id: expect.stringMatching(/^aky_/),
        customerId,
        hash: hashCredential(key),
        prefix: key.slice(0, 10),
        createdAt: startOfTest,
        revokedAt: null,
      },
    ]);
    expect(issued?.stored).toEqual(keys[0]);
    expect(JSON.stringify(keys)).not.toContain(key);
  });

  it('refuses a customer that does not exist', async () => {
    await expect(issuer([], false)('cus_none')).resolves.toBeNull();
  });
});

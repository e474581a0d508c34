import { describe, expect, it } from 'vitest';
import { authenticate } from '#shared/auth/authenticate.ts';
import { hashCredential, makeApiKey } from '#shared/auth/checked-token.ts';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import type { Customer } from '#shared/domain/customer.ts';
import { isOwnId } from '#shared/domain/ids.ts';
import { createCustomer, createCustomerOnce } from '#shared/operations/operator/create-customer.ts';
import { issueApiKey, issueApiKeyOnce } from '#shared/operations/operator/issue-api-key.ts';
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

describe('createCustomerOnce()', () => {
  const once = (stored: readonly Customer[]) =>
    createCustomerOnce({
      now,
      randomBytes: countingBytes(),
      storeCustomer: async () => false,
      findReference: async () => customerId,
      readCustomer: async (id) => stored.find((customer) => customer.id === id) ?? null,
    });

  it('finds the customer with the reference, and leaves it as it is', async () => {
    const customer = { id: customerId, name: 'Before', reference: 'acct_1', createdAt: 1 };

    expect(await once([customer])({ name: 'After', reference: 'acct_1' })).toEqual({
      customer,
      isNew: false,
    });
  });

  it('creates none while the customer with the reference is being deleted', async () => {
    expect(await once([])({ name: 'After', reference: 'acct_1' })).toBeNull();
  });
});

describe('issueApiKeyOnce()', () => {
  /** `answers`: what is stored under the idempotency key at each look. */
  const once = (answers: readonly (string | null)[]) => {
    const looks = [...answers];
    const kept: unknown[] = [];
    const issue = issueApiKeyOnce({
      now,
      randomBytes: countingBytes(),
      makeKey: makeApiKey,
      hashKey: hashCredential,
      storeApiKey: async (_key, answer) => kept.push(answer) === 0,
      readAnswer: async () => looks.shift() ?? null,
      encryptAnswer: async (body) => `sealed ${body.length}`,
      decryptAnswer: async (sealed) => JSON.stringify({ opened: sealed }),
    });
    return { kept, issue: () => issue(customerId, 'sign-up', ({ key }) => ({ api_key: key })) };
  };

  it('gives the answer of an equal call that was faster, and stores no answer in clear', async () => {
    const { issue, kept } = once([null, 'sealed first']);

    expect(await issue()).toEqual({ answer: { opened: 'sealed first' }, newId: null });
    expect(JSON.stringify(kept)).toContain('sealed');
    expect(JSON.stringify(kept)).not.toContain('key_');
  });

  it('answers a repeated call without another key', async () => {
    const { issue, kept } = once(['sealed first']);

    expect(await issue()).toEqual({ answer: { opened: 'sealed first' }, newId: null });
    expect(kept).toEqual([]);
  });

  it('refuses a customer that does not exist', async () => {
    expect(await once([]).issue()).toBeNull();
  });
});

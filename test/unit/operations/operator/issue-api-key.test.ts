import { describe, expect, it } from 'vitest';
import { authenticate } from '#shared/auth/authenticate.ts';
import { hashCredential, makeApiKey } from '#shared/auth/checked-token.ts';
import { readApiKeys, readCustomers, storeCustomer } from '#shared/aws/table/credentials/customers.ts';
import { customerReferenceKey } from '#shared/aws/table/keys.ts';
import { isOwnId } from '#shared/domain/ids.ts';
import { requestKeyLasts } from '#shared/domain/request-key.ts';
import { createCustomer, createCustomerOnce } from '#shared/operations/operator/create-customer.ts';
import { issueApiKey, issueApiKeyOnce } from '#shared/operations/operator/issue-api-key.ts';
import { countingBytes, createClock, unexpected } from '../../../support/operations/deps.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import { buildApiKey, customerId, startOfTest } from '../../../support/values/builders.ts';

/** A table, and what an operation about its customers is given. */
function createWorld() {
  const store = recordStore();
  const makers = { makeKey: makeApiKey, hashKey: hashCredential };
  const deps = { table: store.table, now: () => startOfTest, randomBytes: countingBytes(), ...makers };
  return { ...store, deps };
}

it('createCustomer() stores a customer under a new id', async () => {
  const { deps, table } = createWorld();
  const create = createCustomer(deps);

  const [first, second] = [await create('Acme'), await create('Acme')];

  expect(first).toEqual({ id: first.id, name: 'Acme', createdAt: startOfTest });
  expect(isOwnId('customer', first.id)).toBe(true);
  expect(second.id).not.toBe(first.id);
  expect(await readCustomers(table)).toEqual([second, first]);
});

describe('issueApiKey()', () => {
  it('returns a key that authenticates its customer, and stores only its hash', async () => {
    const { deps, table, records } = createWorld();
    records.addCustomer(customerId);

    const issued = await issueApiKey(deps)(customerId);

    const key = issued?.key ?? '';
    const keys = await readApiKeys(table, customerId);
    const check = authenticate({ table, authenticateLink: unexpected('authenticateLink') });
    await expect(check(`Bearer ${key}`)).resolves.toEqual({
      customerId,
      credentialId: keys[0]?.id,
    });
    const shown = { id: expect.stringMatching(/^aky_/), prefix: key.slice(0, 10) };
    expect(keys).toEqual([buildApiKey({ ...shown, hash: hashCredential(key) })]);
    expect(issued?.stored).toEqual(keys[0]);
    expect(JSON.stringify(records.rows())).not.toContain(key);
  });

  it('refuses a customer that does not exist', async () => {
    await expect(issueApiKey(createWorld().deps)('cus_none')).resolves.toBeNull();
  });
});

describe('createCustomerOnce()', () => {
  const given = { name: 'After', reference: 'acct_1' };

  it('finds the customer with the reference, and leaves it as it is', async () => {
    const { deps, table } = createWorld();
    const customer = { id: customerId, name: 'Before', reference: 'acct_1', createdAt: 1 };
    await storeCustomer(table, customer);

    expect(await createCustomerOnce(deps)(given)).toEqual({ customer, isNew: false });
  });

  it('creates none while the customer with the reference is being deleted', async () => {
    const { deps, records } = createWorld();
    records.put({ ...customerReferenceKey('acct_1'), customer_id: customerId });

    expect(await createCustomerOnce(deps)(given)).toBeNull();
  });
});

describe('issueApiKeyOnce()', () => {
  const once = () => {
    const { deps, ...world } = createWorld();
    const clock = createClock(startOfTest);
    const issue = issueApiKeyOnce({
      ...deps,
      now: clock.now,
      encryptAnswer: async (body, { usedBy }) => `sealed for the ${usedBy}: ${body.length}`,
      decryptAnswer: async (sealed) => JSON.stringify({ opened: sealed }),
    });
    return { ...world, clock, issue: () => issue(customerId, 'sign-up', ({ key }) => ({ api_key: key })) };
  };
  const opened = { answer: { opened: expect.stringMatching(/^sealed for the operator: \d+$/) }, newId: null };

  it('gives the answer of an equal call that was faster, and stores no answer in clear', async () => {
    const { issue, records, table } = once();
    records.addCustomer(customerId);

    const [first, second] = await Promise.all([issue(), issue()]);

    const [key, ...more] = await readApiKeys(table, customerId);
    expect(first).toEqual({ answer: { api_key: expect.stringMatching(/^key_/) }, newId: key?.id });
    expect(second).toEqual(opened);
    expect(more).toEqual([]);
    expect(JSON.stringify(records.rows())).not.toContain('api_key');
  });

  it('makes another key after 24 hours, although the table still has the answer', async () => {
    const { issue, records, clock } = once();
    records.addCustomer(customerId);
    await issue();

    clock.pass(requestKeyLasts - 1);
    expect(await issue()).toEqual(opened);
    clock.pass(1);
    expect(await issue()).toMatchObject({ answer: { api_key: expect.stringMatching(/^key_/) } });
  });

  it('refuses a customer that does not exist', async () => {
    expect(await once().issue()).toBeNull();
  });
});

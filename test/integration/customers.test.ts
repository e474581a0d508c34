import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashApiKey, makeApiKey } from '#shared/auth/api-key.ts';
import { readCursorSecret } from '#shared/aws/table/cursor-secret.ts';
import { findApiKey, storeApiKey, storeCustomer } from '#shared/aws/table/customers.ts';
import { apiKeyListKey, customerListKey } from '#shared/aws/table/keys.ts';
import { createCustomer } from '#shared/operations/operator/create-customer.ts';
import { issueApiKey } from '#shared/operations/operator/issue-api-key.ts';
import { useTable } from '../support/aws/table.ts';
import { startOfTest } from '../support/values/builders.ts';

const { current } = useTable();

const now = () => startOfTest;
const create = () => createCustomer({ now, randomBytes, storeCustomer: storeCustomer(current()) })('Acme');
const issue = (customerId: string) =>
  issueApiKey({
    now,
    randomBytes,
    makeKey: makeApiKey,
    hashKey: hashApiKey,
    storeApiKey: storeApiKey(current()),
  })(customerId);

describe('API keys', () => {
  it('an API key is found by its hash', async () => {
    const customer = await create();

    const issued = await issue(customer.id);

    expect(await findApiKey(current())(hashApiKey(issued?.key ?? ''))).toEqual(issued?.stored);
    expect(issued?.stored).toMatchObject({
      customerId: customer.id,
      createdAt: startOfTest,
      revokedAt: null,
    });
  });

  it('an API key is found only by its hash', async () => {
    const customer = await create();
    const issued = await issue(customer.id);

    expect(await findApiKey(current())(issued?.key ?? '')).toBeNull();
    expect(await findApiKey(current())(hashApiKey('key_unknown'))).toBeNull();
  });

  it('an API key is not issued to a customer that does not exist', async () => {
    expect(await issue('cus_unknown')).toBeNull();
  });

  it('appear in the list of their customer, and the customer in the list of customers', async () => {
    const customer = await create();
    const issued = await issue(customer.id);

    const rows = [customerListKey(customer.id), apiKeyListKey(customer.id, issued?.stored.id ?? '')];
    const found = await Promise.all(
      rows.map((Key) => current().client.get({ TableName: current().name, Key })),
    );

    expect(found.map(({ Item }) => Item?.id)).toEqual([customer.id, issued?.stored.id]);
    expect(JSON.stringify(found)).not.toContain(issued?.key);
  });
});

describe('readCursorSecret()', () => {
  it('makes the secret once, however many functions ask for it first', async () => {
    const read = () => readCursorSecret(current(), randomBytes)();

    const secrets = await Promise.all(Array.from({ length: 10 }, read));

    const [first] = secrets;
    expect(first).toHaveLength(32);
    expect(secrets).toEqual(secrets.map(() => first));
    expect(await read()).toEqual(first);
  });
});

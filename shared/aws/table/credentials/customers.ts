import type { Table } from '#shared/aws/clients.ts';
import { type CacheSettings, RecentCache } from '#shared/aws/recent-cache.ts';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import type { Customer } from '#shared/domain/customer.ts';
import type { StoreCustomer } from '#shared/operations/operator/create-customer.ts';
import type { StoreApiKey } from '#shared/operations/operator/issue-api-key.ts';
import type { ReadApiKeys, ReadCustomer } from '#shared/operations/operator/list-api-keys.ts';
import type { RenameCustomer } from '#shared/operations/operator/rename-customer.ts';
import type { MarkApiKeyRevoked } from '#shared/operations/operator/revoke-api-key.ts';
import type { IsCustomerKnown } from '#shared/operations/ports.ts';
import { failedConditions } from '../conditional-write.ts';
import { apiKeyKey, apiKeyListKey, customerKey, customerListKey, type ItemKey } from '../keys.ts';
import { queryPages } from '../query-pages.ts';
import { readAll } from '../stored-row.ts';
import { fromApiKeyItem, fromCustomerItem, toApiKeyFacts, toCustomerFacts } from './customer-item.ts';

export function storeCustomer(table: Table): StoreCustomer {
  return async (customer) => {
    const facts = toCustomerFacts(customer);
    await table.client.transactWrite({
      TransactItems: [customerKey(customer.id), customerListKey(customer.id)].map((key) => ({
        Put: { TableName: table.name, Item: { ...key, ...facts } },
      })),
    });
  };
}

/** Both rows in one transaction, so that the list never shows other names than the customer. */
export function renameCustomer(table: Table): RenameCustomer {
  return async (id, { name, publicName }) => {
    const given = Object.entries({ name, public_name: publicName }).filter(([, text]) => text !== undefined);
    const update = (Key: ItemKey) => ({
      Update: {
        TableName: table.name,
        Key,
        UpdateExpression: `SET ${given.map(([key]) => `#${key} = :${key}`).join(', ')}`,
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: Object.fromEntries(given.map(([key]) => [`#${key}`, key])),
        ExpressionAttributeValues: Object.fromEntries(given.map(([key, text]) => [`:${key}`, text])),
      },
    });
    try {
      const TransactItems = [customerKey(id), customerListKey(id)].map(update);
      await table.client.transactWrite({ TransactItems });
      return true;
    } catch (error) {
      if (failedConditions(error) !== null) return false;
      throw error;
    }
  };
}

export function storeApiKey(table: Table): StoreApiKey {
  return async (key) => {
    const facts = toApiKeyFacts(key);
    const customer = {
      ConditionCheck: {
        TableName: table.name,
        Key: customerKey(key.customerId),
        ConditionExpression: 'attribute_exists(pk)',
      },
    };
    const rows = [apiKeyKey(key.hash), apiKeyListKey(key.customerId, key.id)].map((row) => ({
      Put: { TableName: table.name, Item: { ...row, ...facts } },
    }));
    try {
      await table.client.transactWrite({ TransactItems: [customer, ...rows] });
      return true;
    } catch (error) {
      if (failedConditions(error) !== null) return false;
      throw error;
    }
  };
}

/** Finds a key by its hash in one strongly consistent read, so that a revocation takes effect at once. */
export function findApiKey(table: Table) {
  return async (hash: string): Promise<StoredApiKey | null> => {
    const item = await readItem(table, apiKeyKey(hash));
    return item === undefined ? null : fromApiKeyItem(item);
  };
}

/**
 * Revokes a key in both of its rows: the one that requests read, and the one in the list of its customer. Keeps an
 * earlier time.
 */
export function markApiKeyRevoked(table: Table): MarkApiKeyRevoked {
  const readRow = async (customerId: string, id: string): Promise<StoredApiKey | null> => {
    const item = await readItem(table, apiKeyListKey(customerId, id));
    return item === undefined ? null : fromApiKeyItem(item);
  };
  return async (customerId, id, at) => {
    const row = await readRow(customerId, id);
    if (row === null || row.revokedAt !== null) return row;
    const update = (Key: ItemKey) => ({
      Update: {
        TableName: table.name,
        Key,
        UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :at)',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':at': at },
      },
    });
    const TransactItems = [update(apiKeyKey(row.hash)), update(apiKeyListKey(customerId, id))];
    await table.client.transactWrite({ TransactItems });
    return await readRow(customerId, id);
  };
}

/**
 * Whether a customer exists. Caches existing customers for a while, so a deleted customer is known for that time at
 * most; returns `false` only after a strongly consistent read.
 */
export function isCustomerKnown(table: Table, settings: CacheSettings): IsCustomerKnown {
  const known = new RecentCache<true>(settings);
  return async (id) => {
    const at = known.moment();
    if (known.get(id, at) === true) return true;
    const isThere =
      (await hasItem(table, customerKey(id), false)) || (await hasItem(table, customerKey(id), true));
    if (isThere) known.set(id, true, at);
    return isThere;
  };
}

async function hasItem(table: Table, Key: ItemKey, ConsistentRead: boolean): Promise<boolean> {
  const { Item } = await table.client.get({
    TableName: table.name,
    Key,
    ConsistentRead,
    ProjectionExpression: 'pk',
  });
  return Item !== undefined;
}

export function readCustomer(table: Table): ReadCustomer {
  return async (id) => {
    const item = await readItem(table, customerKey(id));
    return item === undefined ? null : fromCustomerItem(item);
  };
}

/** Every customer, newest first. */
export function readCustomers(table: Table) {
  return async (): Promise<readonly Customer[]> => {
    const rows = await readPartition(table, customerListKey('').pk, null);
    return readAll(table, rows, fromCustomerItem);
  };
}

export function readApiKeys(table: Table): ReadApiKeys {
  return async (customerId) => {
    const { pk, sk } = apiKeyListKey(customerId, '');
    const rows = await readPartition(table, pk, sk);
    return readAll(table, rows, fromApiKeyItem);
  };
}

async function readItem(table: Table, Key: ItemKey): Promise<unknown> {
  const { Item } = await table.client.get({ TableName: table.name, Key, ConsistentRead: true });
  return Item;
}

/** All rows of a partition, in descending order. @param prefix of the sort keys; `null` for all rows */
async function readPartition(table: Table, pk: string, prefix: string | null): Promise<readonly unknown[]> {
  const pages = queryPages(table, {
    KeyConditionExpression: prefix === null ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ...(prefix === null ? {} : { ':prefix': prefix }) },
    ScanIndexForward: false,
    ConsistentRead: true,
  });
  const rows: unknown[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}

import type { Table } from '#shared/aws/clients.ts';
import { type CacheSettings, RecentCache } from '#shared/aws/recent-cache.ts';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import type { Customer } from '#shared/domain/customer.ts';
import type { RenameCustomer, StoreCustomer } from '#shared/operations/operator/create-customer.ts';
import type {
  MarkApiKeyRevoked,
  ReadApiKeys,
  StoreApiKey,
} from '#shared/operations/operator/issue-api-key.ts';
import type { ReadCustomer } from '#shared/operations/operator/list-credentials.ts';
import type { IsCustomerKnown } from '#shared/operations/ports.ts';
import { meetsConditions } from '../conditional-write.ts';
import { apiKeyKey, apiKeyListKey, customerKey, customerListKey, type ItemKey } from '../keys.ts';
import { readNewestFirst, rowsBelow } from '../query-pages.ts';
import { readRow } from '../stored-row.ts';
import { putsOf, revokeListed } from './credential-rows.ts';
import { fromApiKeyItem, fromCustomerItem, toApiKeyFacts, toCustomerFacts } from './customer-item.ts';

export function storeCustomer({ client, name }: Table): StoreCustomer {
  return (customer) => {
    const keys = [customerKey(customer.id), customerListKey(customer.id)];
    return client.transactWrite({ TransactItems: putsOf(name, keys, toCustomerFacts(customer)) });
  };
}

/** Both rows in one transaction, so that the list never shows other names than the customer. */
export function renameCustomer(table: Table): RenameCustomer {
  return (id, { name, publicName }) => {
    const given = Object.entries({ name, public_name: publicName }).filter(([, text]) => text !== undefined);
    const TransactItems = [customerKey(id), customerListKey(id)].map((Key) => ({
      Update: {
        TableName: table.name,
        Key,
        UpdateExpression: `SET ${given.map(([key]) => `#${key} = :${key}`).join(', ')}`,
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: Object.fromEntries(given.map(([key]) => [`#${key}`, key])),
        ExpressionAttributeValues: Object.fromEntries(given.map(([key, text]) => [`:${key}`, text])),
      },
    }));
    return meetsConditions(table.client.transactWrite({ TransactItems }));
  };
}

export function storeApiKey({ client, name: TableName }: Table): StoreApiKey {
  return (key) => {
    const customer = {
      ConditionCheck: {
        TableName,
        Key: customerKey(key.customerId),
        ConditionExpression: 'attribute_exists(pk)',
      },
    };
    const rows = putsOf(TableName, rowsOf(key), toApiKeyFacts(key));
    return meetsConditions(client.transactWrite({ TransactItems: [customer, ...rows] }));
  };
}

/** Finds a key by its hash in one strongly consistent read, so that a revocation takes effect at once. */
export function findApiKey(table: Table) {
  return (hash: string): Promise<StoredApiKey | null> => readRow(table, apiKeyKey(hash), fromApiKeyItem);
}

export function markApiKeyRevoked(table: Table): MarkApiKeyRevoked {
  return (customerId, id, at) =>
    revokeListed(table, apiKeyListKey(customerId, id), { read: fromApiKeyItem, rowsOf }, at);
}

/** The row that requests read, and the row in the list of the customer. */
function rowsOf({ hash, customerId, id }: StoredApiKey): readonly ItemKey[] {
  return [apiKeyKey(hash), apiKeyListKey(customerId, id)];
}

/**
 * Whether a customer exists. Caches existing customers for a while, so a deleted customer is known for that time at
 * most; returns `false` only after a strongly consistent read.
 */
export function isCustomerKnown(table: Table, settings: CacheSettings<true>): IsCustomerKnown {
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
  return (id) => readRow(table, customerKey(id), fromCustomerItem);
}

/** Every customer, newest first. */
export function readCustomers(table: Table) {
  return (): Promise<readonly Customer[]> => {
    const { pk } = customerListKey('');
    const all = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } };
    return readNewestFirst(table, all, fromCustomerItem);
  };
}

export function readApiKeys(table: Table): ReadApiKeys {
  return (customerId) => readNewestFirst(table, rowsBelow(apiKeyListKey(customerId, '')), fromApiKeyItem);
}

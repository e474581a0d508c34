import type { Table } from '#shared/aws/clients.ts';
import { type CacheSettings, RecentCache } from '#shared/aws/recent-cache.ts';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import { type Customer, customerMemory } from '#shared/domain/customer.ts';
import type { PageRequest, Rows } from '#shared/operations/paging.ts';
import { meetsConditions } from '../conditional-write.ts';
import { apiKeyKey, apiKeyListKey, customerKey, customerListKey, customerReferenceKey, type ItemKey } from '../keys.ts';
import { readNewestFirst, rowsBelow } from '../query-pages.ts';
import { answerPut, type SealedAnswer } from '../requests/requests.ts';
import { readSorted } from '../results/result-pages.ts';
import { readRow } from '../stored-row.ts';
import { putsOf, revokeListed } from './credential-rows.ts';
import {
  fromApiKeyItem,
  fromCustomerItem,
  fromReferenceItem,
  toApiKeyFacts,
  toCustomerFacts,
} from './customer-item.ts';

/**
 * Stores the rows of a customer, and the one that reserves its reference, in one transaction.
 *
 * @returns `false` when another customer has its reference
 */
export function storeCustomer({ client, name }: Table, customer: Customer): Promise<boolean> {
  const keys = [customerKey(customer.id), customerListKey(customer.id)];
  const rows = putsOf(name, keys, toCustomerFacts(customer));
  return meetsConditions(client.transactWrite({ TransactItems: [...rows, ...named(name, customer)] }));
}

function named(TableName: string, { id, reference }: Pick<Customer, 'id' | 'reference'>) {
  if (reference === undefined) return [];
  const Item = { ...customerReferenceKey(reference), customer_id: id };
  return [{ Put: { TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' } }];
}

/**
 * Changes a customer, as long as its reference, and metadata that change, are as they were read: all rows in one
 * transaction, so that the list never shows other names than the customer.
 *
 * @param changes at least one. An empty public name is none
 * @returns `false` when they are not, or another customer has the new reference
 */
export function updateCustomer(
  { client, name: TableName }: Table,
  { id, reference: before, metadata: metadataBefore }: Customer,
  changes: {
    readonly [Name in 'name' | 'publicName' | 'reference' | 'metadata']?: Customer[Name] | undefined;
  },
): Promise<boolean> {
  const { name, publicName, reference, metadata } = changes;
  const attributes = { name, public_name: publicName, reference, metadata };
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  const read = Object.entries({ reference: before, ...(metadata && { metadata: metadataBefore }) });
  const isAsRead = read.map(([key, value]) =>
    value === undefined ? `attribute_not_exists(#${key})` : `#${key} = :read_${key}`,
  );
  const updates = [customerKey(id), customerListKey(id)].map((Key) => ({
    Update: {
      TableName,
      Key,
      UpdateExpression: `SET ${given.map(([key]) => `#${key} = :${key}`).join(', ')}`,
      ConditionExpression: ['attribute_exists(pk)', ...isAsRead].join(' AND '),
      ExpressionAttributeNames: Object.fromEntries([...read, ...given].map(([key]) => [`#${key}`, key])),
      ExpressionAttributeValues: {
        ...Object.fromEntries(read.flatMap(([key, value]) => (value === undefined ? [] : [[`:read_${key}`, value]]))),
        ...Object.fromEntries(given.map(([key, value]) => [`:${key}`, value])),
      },
    },
  }));
  const isRenamed = reference !== undefined && reference !== before;
  const freed = isRenamed && before !== undefined ? [{ Delete: { TableName, Key: customerReferenceKey(before) } }] : [];
  const references = isRenamed ? [...named(TableName, { id, reference }), ...freed] : [];
  return meetsConditions(client.transactWrite({ TransactItems: [...updates, ...references] }));
}

/** The id of the customer that has a reference. */
export function findReference(table: Table, reference: string): Promise<string | null> {
  return readRow(table, customerReferenceKey(reference), fromReferenceItem);
}

/** @returns `false` when the customer does not exist, or the request has an answer already; then nothing is stored */
export function storeApiKey(
  { client, name: TableName }: Table,
  key: StoredApiKey,
  answer?: SealedAnswer,
): Promise<boolean> {
  const customer = {
    ConditionCheck: {
      TableName,
      Key: customerKey(key.customerId),
      ConditionExpression: 'attribute_exists(pk)',
    },
  };
  const rows = putsOf(TableName, rowsOf(key), toApiKeyFacts(key));
  const answers = answer === undefined ? [] : [answerPut(TableName, answer)];
  return meetsConditions(client.transactWrite({ TransactItems: [customer, ...rows, ...answers] }));
}

/** Finds a key by its hash in one strongly consistent read, so that a revocation takes effect at once. */
export function findApiKey(table: Table, hash: string): Promise<StoredApiKey | null> {
  return readRow(table, apiKeyKey(hash), fromApiKeyItem);
}

/**
 * Revokes a key permanently, from the next request on. Keeps an earlier time; `at` in epoch milliseconds.
 *
 * @returns `null` when the customer has no key with this id
 */
export function markApiKeyRevoked(
  table: Table,
  customerId: string,
  id: string,
  at: number,
): Promise<StoredApiKey | null> {
  return revokeListed(table, apiKeyListKey(customerId, id), { read: fromApiKeyItem, rowsOf }, at);
}

/** The row that requests read, and the row in the list of the customer. */
function rowsOf({ hash, customerId, id }: StoredApiKey): readonly ItemKey[] {
  return [apiKeyKey(hash), apiKeyListKey(customerId, id)];
}

/** What `isCustomerKnown()` remembers. Each entry takes about 100 bytes. */
export function rememberCustomers(
  settings: Pick<CacheSettings<true>, 'now' | 'monotonic' | 'entries'>,
): RecentCache<true> {
  return new RecentCache({ ...settings, maxEntries: 10_000, timeToLive: customerMemory });
}

/**
 * Whether a customer exists; `false` only after a strongly consistent read.
 *
 * @param known remembers existing customers for a while, so a deleted customer is known for that time at most
 */
export async function isCustomerKnown(table: Table, known: RecentCache<true>, id: string): Promise<boolean> {
  const at = known.moment();
  if (known.get(id, at) === true) return true;
  const isThere = (await hasItem(table, customerKey(id), false)) || (await hasItem(table, customerKey(id), true));
  if (isThere) known.set(id, true, at);
  return isThere;
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

export function readCustomer(table: Table, id: string): Promise<Customer | null> {
  return readRow(table, customerKey(id), fromCustomerItem);
}

/** A customer as it is listed, also while it is being deleted: a deletion removes this row last. */
export function readListedCustomer(table: Table, customerId: string): Promise<Customer | null> {
  return readRow(table, customerListKey(customerId), fromCustomerItem);
}

/** Every customer, newest first. */
export function readCustomers(table: Table): Promise<readonly Customer[]> {
  const { pk } = customerListKey('');
  const all = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } };
  return readNewestFirst(table, all, fromCustomerItem);
}

/** A page of all customers, newest first; its position is the id of its last one. */
export function readCustomerPage(table: Table, page: PageRequest): Promise<Rows<Customer>> {
  const { pk } = customerListKey('');
  return readSorted(table, { pk, prefix: '' }, page, fromCustomerItem);
}

/** A page of the keys of a customer, newest first; its position is the id of its last one. */
export function readApiKeyPage(table: Table, customerId: string, page: PageRequest): Promise<Rows<StoredApiKey>> {
  const { pk, sk: prefix } = apiKeyListKey(customerId, '');
  return readSorted(table, { pk, prefix }, page, fromApiKeyItem);
}

/** Every key of a customer, newest first. */
export function readApiKeys(table: Table, customerId: string): Promise<readonly StoredApiKey[]> {
  return readNewestFirst(table, rowsBelow(apiKeyListKey(customerId, '')), fromApiKeyItem);
}

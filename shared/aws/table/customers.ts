import { GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { Customer } from '../../operations/create-customer.ts';
import type { StoredApiKey } from '../../operations/issue-api-key.ts';
import type { Table } from '../clients.ts';
import { failedConditions } from './conditional-write.ts';
import { apiKeyKey, apiKeyListKey, customerKey, customerListKey } from './keys.ts';

const apiKeyItem = z.object({
  id: z.string(),
  customer_id: z.string(),
  hash: z.string(),
  prefix: z.string(),
  created_at: z.number(),
  revoked_at: z.number().optional(),
});

export function storeCustomer(table: Table) {
  return async (customer: Customer): Promise<void> => {
    const facts = { id: customer.id, name: customer.name, created_at: customer.createdAt };
    await table.client.send(
      new TransactWriteCommand({
        TransactItems: [customerKey(customer.id), customerListKey(customer.id)].map((key) => ({
          Put: { TableName: table.name, Item: { ...key, ...facts } },
        })),
      }),
    );
  };
}

/** @returns `false` when there is no such customer */
export function storeApiKey(table: Table) {
  return async (key: StoredApiKey): Promise<boolean> => {
    const facts = {
      id: key.id,
      customer_id: key.customerId,
      hash: key.hash,
      prefix: key.prefix,
      created_at: key.createdAt,
    };
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
      await table.client.send(new TransactWriteCommand({ TransactItems: [customer, ...rows] }));
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
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: apiKeyKey(hash), ConsistentRead: true }),
    );
    if (Item === undefined) return null;
    const item = apiKeyItem.parse(Item);
    return {
      id: item.id,
      customerId: item.customer_id,
      hash: item.hash,
      prefix: item.prefix,
      createdAt: item.created_at,
      revokedAt: item.revoked_at ?? null,
    };
  };
}

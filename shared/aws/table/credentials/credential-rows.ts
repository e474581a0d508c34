import type { Table } from '#shared/aws/clients.ts';
import { meetsConditions } from '../conditional-write.ts';
import type { ItemKey } from '../keys.ts';

/** What is stored twice, in one transaction: in the row that requests read, and in the row of a list. */

/** The writes of the same attributes to several rows. */
export function putsOf(TableName: string, keys: readonly ItemKey[], facts: object) {
  return keys.map((key) => ({ Put: { TableName, Item: { ...key, ...facts } } }));
}

/**
 * Revokes a credential in all of its rows. Keeps an earlier time.
 *
 * @returns `false` when a row is gone: a deletion of the customer removes the row that requests read first, and the row
 *   of the list at its end
 */
export function revokeRows({ client, name }: Table, keys: readonly ItemKey[], at: number): Promise<boolean> {
  const TransactItems = keys.map((Key) => ({
    Update: {
      TableName: name,
      Key,
      UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :at)',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':at': at },
    },
  }));
  return meetsConditions(client.transactWrite({ TransactItems }));
}

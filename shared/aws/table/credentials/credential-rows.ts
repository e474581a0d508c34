import type { Table } from '#shared/aws/clients.ts';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import { meetsConditions } from '../conditional-write.ts';
import type { ItemKey } from '../keys.ts';
import { type ReadRow, readRow } from '../stored-row.ts';

/** What is stored twice, in one transaction: in the row that requests read, and in the row of a list. */

/** The writes of the same attributes to several rows. */
export function putsOf(TableName: string, keys: readonly ItemKey[], facts: object) {
  return keys.map((key) => ({ Put: { TableName, Item: { ...key, ...facts } } }));
}

/**
 * Revokes the credential that a list has at a key, in all of its rows. Keeps an earlier time.
 *
 * @returns the credential as stored; `null` when a row is gone: a deletion of the customer removes the row that requests
 *   read first, and the row of the list at its end
 */
export async function revokeListed<C extends Pick<StoredApiKey, 'revokedAt'>>(
  table: Table,
  listed: ItemKey,
  { read, rowsOf }: { readonly read: ReadRow<C>; readonly rowsOf: (credential: C) => readonly ItemKey[] },
  at: number,
): Promise<C | null> {
  const credential = await readRow(table, listed, read);
  if (credential === null || credential.revokedAt !== null) return credential;
  const TransactItems = rowsOf(credential).map((Key) => ({
    Update: {
      TableName: table.name,
      Key,
      UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :at)',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':at': at },
    },
  }));
  const isRevoked = await meetsConditions(table.client.transactWrite({ TransactItems }));
  return isRevoked ? readRow(table, listed, read) : null;
}

import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import type { Connection } from '#shared/domain/connection.ts';
import { isRefused, meetsConditions, updateIf } from '../conditional-write.ts';
import { connectionKey, connectionListKey, customerKey } from '../keys.ts';
import { readRow } from '../stored-row.ts';
import { fromConnectionItem, toConnectionItem } from './connection-item.ts';

/** @returns `false` when the organization is not a customer */
export function storeConnection(table: Table, connection: Connection): Promise<boolean> {
  return forCustomer(table, connection, {
    Put: { TableName: table.name, Item: toConnectionItem(connection) },
  });
}

/** Strongly consistent, so that a revocation takes effect at once. */
export function readConnection(table: Table, id: string): Promise<Connection | null> {
  return readRow(table, connectionKey(id), fromConnectionItem);
}

/**
 * Also clears a revocation of access.
 *
 * @returns `false` when the organization is not a customer, or the connection is revoked or gone; then nothing is stored
 */
export function storeOrganization(table: Table, id: string, organization: string): Promise<boolean> {
  return forCustomer(
    table,
    { id, organization },
    {
      Update: {
        TableName: table.name,
        Key: connectionKey(id),
        UpdateExpression: 'SET organization = :organization REMOVE access_revoked_at',
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(revoked_at)',
        ExpressionAttributeValues: { ':organization': organization },
      },
    },
  );
}

/**
 * Revokes a connection permanently: its tokens are refused from the next request on. Keeps an earlier time; `at` in epoch
 * milliseconds.
 *
 * @returns `null` when the connection does not exist
 */
export function markRevoked(table: Table, id: string, at: number): Promise<Connection | null> {
  return mark(table, id, 'revoked_at', at);
}

/** Keeps an earlier time; `at` in epoch milliseconds. @returns `null` when the connection does not exist */
export function markAccessRevoked(table: Table, id: string, at: number): Promise<Connection | null> {
  return mark(table, id, 'access_revoked_at', at);
}

async function mark(table: Table, id: string, attribute: string, at: number): Promise<Connection | null> {
  const result = await updateIf(table, {
    Key: connectionKey(id),
    UpdateExpression: 'SET #time = if_not_exists(#time, :at)',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: { '#time': attribute },
    ExpressionAttributeValues: { ':at': at },
    ReturnValues: 'ALL_NEW',
  });
  return isRefused(result) ? null : fromConnectionItem(result.Attributes);
}

type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * Writes a connection that acts for a customer, and lists it there, so that closing the customer revokes it.
 *
 * @returns `false` when the customer does not exist, or the write is refused
 */
function forCustomer(
  { client, name }: Table,
  { id, organization }: Pick<Connection, 'id' | 'organization'>,
  write: Write,
): Promise<boolean> {
  const TransactItems = organization === null ? [write] : inListOf(name, organization, id, write);
  return meetsConditions(client.transactWrite({ TransactItems }));
}

function inListOf(TableName: string, organization: string, id: string, write: Write): Write[] {
  const Key = customerKey(organization);
  return [
    { ConditionCheck: { TableName, Key, ConditionExpression: 'attribute_exists(pk)' } },
    write,
    { Put: { TableName, Item: { ...connectionListKey(organization, id), organization } } },
  ];
}

import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import type { Connection } from '#shared/domain/connection.ts';
import type {
  MarkAccessRevoked,
  MarkConnectionRevoked,
  ReadConnection,
  StoreConnection,
  StoreOrganization,
} from '#shared/operations/operator/connections.ts';
import { failedConditions, isRefused, updateIf } from '../conditional-write.ts';
import { connectionKey, connectionListKey, customerKey } from '../keys.ts';
import { readRow } from '../stored-row.ts';
import { fromConnectionItem, toConnectionItem } from './connection-item.ts';

export function storeConnection(table: Table): StoreConnection {
  return (connection) =>
    forCustomer(table, connection, {
      Put: { TableName: table.name, Item: toConnectionItem(connection) },
    });
}

export function readConnection(table: Table): ReadConnection {
  return (id) => readRow(table, connectionKey(id), fromConnectionItem);
}

export function storeOrganization(table: Table): StoreOrganization {
  return (id, organization) =>
    forCustomer(
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

export function markRevoked(table: Table): MarkConnectionRevoked {
  return (id, at) => mark(table, id, 'revoked_at', at);
}

export function markAccessRevoked(table: Table): MarkAccessRevoked {
  return (id, at) => mark(table, id, 'access_revoked_at', at);
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
 * @returns `false` when the customer does not exist
 */
async function forCustomer(
  { client, name }: Table,
  { id, organization }: Pick<Connection, 'id' | 'organization'>,
  write: Write,
): Promise<boolean> {
  try {
    const TransactItems = organization === null ? [write] : inListOf(name, organization, id, write);
    await client.transactWrite({ TransactItems });
    return true;
  } catch (error) {
    if (organization !== null && failedConditions(error)?.includes(0)) return false;
    throw error;
  }
}

function inListOf(TableName: string, organization: string, id: string, write: Write): Write[] {
  const Key = customerKey(organization);
  return [
    { ConditionCheck: { TableName, Key, ConditionExpression: 'attribute_exists(pk)' } },
    write,
    { Put: { TableName, Item: { ...connectionListKey(organization, id), organization } } },
  ];
}

import { GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import type { Connection } from '#shared/domain/connection.ts';
import { failedConditions, isRefused, orRefused } from './conditional-write.ts';
import { fromConnectionItem, toConnectionItem } from './connection-item.ts';
import { connectionKey, customerKey } from './keys.ts';

/** @returns `false` when there is no such customer */
export function storeConnection(table: Table) {
  return (connection: Connection): Promise<boolean> =>
    ofExistingCustomer(table, connection.organization, {
      Put: { TableName: table.name, Item: toConnectionItem(connection) },
    });
}

/** One strongly consistent read, so that a revocation takes effect at once. */
export function readConnection(table: Table) {
  return async (id: string): Promise<Connection | null> => {
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: connectionKey(id), ConsistentRead: true }),
    );
    return Item === undefined ? null : fromConnectionItem(Item);
  };
}

/** Selects a customer and forgets that access was revoked. @returns `false` when there is no such customer */
export function storeOrganization(table: Table) {
  return (id: string, organization: string): Promise<boolean> =>
    ofExistingCustomer(table, organization, {
      Update: {
        TableName: table.name,
        Key: connectionKey(id),
        UpdateExpression: 'SET organization = :organization REMOVE access_revoked_at',
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(revoked_at)',
        ExpressionAttributeValues: { ':organization': organization },
      },
    });
}

/** Keeps an earlier time. @returns `null` when there is no such connection */
export function markRevoked(table: Table) {
  return (id: string, at: number) => mark(table, id, 'revoked_at', at);
}

/** Keeps an earlier time. @returns `null` when there is no such connection */
export function markAccessRevoked(table: Table) {
  return (id: string, at: number) => mark(table, id, 'access_revoked_at', at);
}

async function mark(table: Table, id: string, attribute: string, at: number): Promise<Connection | null> {
  const result = await orRefused(
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: connectionKey(id),
        UpdateExpression: 'SET #time = if_not_exists(#time, :at)',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#time': attribute },
        ExpressionAttributeValues: { ':at': at },
        ReturnValues: 'ALL_NEW',
      }),
    ),
  );
  return isRefused(result) ? null : fromConnectionItem(result.Attributes);
}

type Write = NonNullable<ConstructorParameters<typeof TransactWriteCommand>[0]['TransactItems']>[number];

async function ofExistingCustomer(table: Table, customerId: string | null, write: Write): Promise<boolean> {
  const check = (id: string): Write => ({
    ConditionCheck: {
      TableName: table.name,
      Key: customerKey(id),
      ConditionExpression: 'attribute_exists(pk)',
    },
  });
  const TransactItems = customerId === null ? [write] : [check(customerId), write];
  try {
    await table.client.send(new TransactWriteCommand({ TransactItems }));
    return true;
  } catch (error) {
    if (customerId !== null && failedConditions(error)?.includes(0)) return false;
    throw error;
  }
}

import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import type { Connection } from '#shared/domain/connection.ts';
import type { StoreConnection } from '#shared/operations/operator/create-connection.ts';
import type { MarkAccessRevoked } from '#shared/operations/operator/revoke-access.ts';
import type { MarkConnectionRevoked } from '#shared/operations/operator/revoke-connection.ts';
import type { ReadConnection, StoreOrganization } from '#shared/operations/operator/select-organization.ts';
import { failedConditions, isRefused, orRefused } from './conditional-write.ts';
import { fromConnectionItem, toConnectionItem } from './connection-item.ts';
import { connectionKey, customerKey } from './keys.ts';

export function storeConnection(table: Table): StoreConnection {
  return (connection) =>
    ofExistingCustomer(table, connection.organization, {
      Put: { TableName: table.name, Item: toConnectionItem(connection) },
    });
}

export function readConnection(table: Table): ReadConnection {
  return async (id) => {
    const { Item } = await table.client.get({
      TableName: table.name,
      Key: connectionKey(id),
      ConsistentRead: true,
    });
    return Item === undefined ? null : fromConnectionItem(Item);
  };
}

export function storeOrganization(table: Table): StoreOrganization {
  return (id, organization) =>
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

export function markRevoked(table: Table): MarkConnectionRevoked {
  return (id, at) => mark(table, id, 'revoked_at', at);
}

export function markAccessRevoked(table: Table): MarkAccessRevoked {
  return (id, at) => mark(table, id, 'access_revoked_at', at);
}

async function mark(table: Table, id: string, attribute: string, at: number): Promise<Connection | null> {
  const result = await orRefused(
    table.client.update({
      TableName: table.name,
      Key: connectionKey(id),
      UpdateExpression: 'SET #time = if_not_exists(#time, :at)',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#time': attribute },
      ExpressionAttributeValues: { ':at': at },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return isRefused(result) ? null : fromConnectionItem(result.Attributes);
}

type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Writes only if the customer exists; `null` skips the check. @returns `false` when the customer does not exist */
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
    await table.client.transactWrite({ TransactItems });
    return true;
  } catch (error) {
    if (customerId !== null && failedConditions(error)?.includes(0)) return false;
    throw error;
  }
}

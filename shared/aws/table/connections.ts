import { GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { Connection } from '../../operations/create-connection.ts';
import type { Table } from '../clients.ts';
import { failedConditions, isRefused, orRefused } from './conditional-write.ts';
import { connectionKey, customerKey } from './keys.ts';

const connectionItem = z
  .object({
    id: z.string(),
    user: z.string(),
    organization: z.string().optional(),
    created_at: z.number(),
    revoked_at: z.number().optional(),
    access_revoked_at: z.number().optional(),
  })
  .transform(
    (item): Connection => ({
      id: item.id,
      user: item.user,
      organization: item.organization ?? null,
      createdAt: item.created_at,
      revokedAt: item.revoked_at ?? null,
      accessRevokedAt: item.access_revoked_at ?? null,
    }),
  );

/** @returns `false` when there is no such customer */
export function storeConnection(table: Table) {
  return async ({ id, user, organization, createdAt }: Connection): Promise<boolean> => {
    const facts = { id, user, ...(organization === null ? {} : { organization }), created_at: createdAt };
    return ofExistingCustomer(table, organization, {
      Put: { TableName: table.name, Item: { ...connectionKey(id), ...facts } },
    });
  };
}

/** One strongly consistent read, so that a revocation takes effect at once. */
export function readConnection(table: Table) {
  return async (id: string): Promise<Connection | null> => {
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: connectionKey(id), ConsistentRead: true }),
    );
    return Item === undefined ? null : connectionItem.parse(Item);
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
  return isRefused(result) ? null : connectionItem.parse(result.Attributes);
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

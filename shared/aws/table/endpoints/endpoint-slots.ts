import { IdempotentParameterMismatchException } from '@aws-sdk/client-dynamodb';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import { limits } from '#shared/contract/limits.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { digest } from '#shared/domain/derived-id.ts';
import { type Endpoint, initialState } from '#shared/domain/endpoint.ts';
import { toDeliveryItem } from '../deliveries/delivery-item.ts';
import { deletionKey, liveEndpointKey, slotsKey, tombstoneKey, waitingAttributes } from '../keys.ts';
import { readRow } from '../stored-row.ts';
import { transact, transactionTries } from '../transact.ts';
import { fromEndpointItem, toEndpointItem } from './endpoint-item.ts';

/**
 * A customer's slots are a set of endpoint ids. The transaction that stores an endpoint takes a slot, and the
 * transaction that deletes the endpoint frees it, so slots and endpoints never disagree and a slot is freed once.
 */
const hasFreeSlot = '(attribute_not_exists(webhooks) OR size(webhooks) < :max)';

/** The attributes that a tombstone copies are unchanged since the endpoint was read. */
const isAsRead = 'attribute_exists(pk) AND #status = :status AND delivery_partitions = :partitions';

/** DynamoDB takes no longer token. */
const tokenLength = 36;

/** The position of the endpoint in the transaction that stores it. */
const endpointAt = 1;

/**
 * Takes a slot and stores the endpoint with its claimed handshake, in one transaction. `exists`: another try of the same
 * registration has stored it.
 */
export async function reserveEndpoint(
  table: Table,
  endpoint: Endpoint,
  handshake: Delivery,
): Promise<'reserved' | 'limit_reached' | 'exists'> {
  const { name: TableName } = table;
  const { customerId, id } = endpoint;
  const takenSlot = {
    TableName,
    Key: slotsKey(customerId),
    UpdateExpression: 'ADD webhooks :ids',
    ConditionExpression: hasFreeSlot,
    ExpressionAttributeValues: { ':ids': new Set([id]), ':max': limits.endpointsPerCustomer },
  };
  const live = { ...liveEndpointKey(customerId, id), ...toEndpointItem(endpoint) };
  const waiting = waitingAttributes(handshake, handshake.claim?.leaseUntil ?? endpoint.createdAt);
  const input = {
    // Makes a retry of this request idempotent, and refuses the same registration with another claim.
    ClientRequestToken: id,
    TransactItems: [
      { Update: takenSlot },
      { Put: { TableName, Item: live, ConditionExpression: 'attribute_not_exists(pk)' } },
      { Put: { TableName, Item: { ...toDeliveryItem(handshake), ...waiting } } },
    ],
  };
  try {
    const failed = await transact(table, input);
    if (failed === null) return 'reserved';
    return failed.includes(endpointAt) ? 'exists' : 'limit_reached';
  } catch (error) {
    if (error instanceof IdempotentParameterMismatchException) return 'exists';
    throw error;
  }
}

/**
 * Replaces a live endpoint with a tombstone and frees its slot, in one transaction. The tombstone is a copy, so a change
 * to the endpoint after the read starts another try.
 *
 * @param at time of the deletion, epoch milliseconds
 * @returns `false` when the customer has no live endpoint with this id
 */
export async function deleteEndpoint(
  table: Table,
  customerId: string,
  webhookId: string,
  at: number,
): Promise<boolean> {
  for (let attempt = 1; attempt <= transactionTries; attempt += 1) {
    const endpoint = await readRow(table, liveEndpointKey(customerId, webhookId), fromEndpointItem);
    if (endpoint === null) return false;
    const failed = await transact(table, deletionInput(table.name, endpoint, at));
    if (failed === null) return true;
  }
  throw new Error(`Cannot delete endpoint ${webhookId}: it changed during each of ${transactionTries} tries`);
}

function deletionInput(TableName: string, endpoint: Endpoint, at: number): TransactWriteCommandInput {
  const { customerId, id, deliveryPartitions } = endpoint;
  const tombstone = { ...tombstoneKey(customerId, id), ...withoutSecrets(endpoint), deleted_at: at };
  const deletion = { ...deletionKey(customerId, at, id), delivery_partitions: deliveryPartitions };
  const TransactItems = [
    {
      Delete: {
        TableName,
        Key: liveEndpointKey(customerId, id),
        ConditionExpression: isAsRead,
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':status': endpoint.status, ':partitions': deliveryPartitions },
      },
    },
    { Put: { TableName, Item: { ...tombstone, status: 'deleted' } } },
    { Put: { TableName, Item: deletion } },
    {
      Update: {
        TableName,
        Key: slotsKey(customerId),
        UpdateExpression: 'DELETE webhooks :ids',
        ExpressionAttributeValues: { ':ids': new Set([id]) },
      },
    },
  ];
  // Makes a retry of this request idempotent: under another token, it would meet the first one and find no endpoint.
  const token = Buffer.from(digest(JSON.stringify(TransactItems))).toString('base64url');
  return { ClientRequestToken: token.slice(0, tokenLength), TransactItems };
}

/** What a tombstone keeps of an endpoint. */
function withoutSecrets(endpoint: Endpoint) {
  const noSecret = { previousSecret: null, previousSecretExpiresAt: null };
  const { secret: _, ...kept } = toEndpointItem({ ...endpoint, ...noSecret, ...initialState });
  return kept;
}

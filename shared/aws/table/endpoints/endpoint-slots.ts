import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import { limits } from '#shared/contract/limits.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { DeleteEndpoint } from '#shared/operations/customer/delete-webhook.ts';
import type { ReserveEndpoint } from '#shared/operations/customer/register-webhook.ts';
import type { Backoff } from '../backoff.ts';
import { toDeliveryItem } from '../deliveries/delivery-item.ts';
import { deletionKey, liveEndpointKey, slotsKey, tombstoneKey, waitingAttributes } from '../keys.ts';
import { transact, transactionTries } from '../transact.ts';
import { toEndpointItem } from './endpoint-item.ts';
import { readLiveEndpoint } from './endpoints.ts';

/**
 * A customer's slots are a set of endpoint ids. The transaction that stores an endpoint takes a slot, and the
 * transaction that deletes the endpoint frees it, so slots and endpoints never disagree and a slot is freed once.
 */
const hasFreeSlot = '(attribute_not_exists(webhooks) OR size(webhooks) < :max)';

/** The attributes that a tombstone copies are unchanged since the endpoint was read. */
const isAsRead = 'attribute_exists(pk) AND #status = :status AND delivery_partitions = :partitions';

export function reserveEndpoint(table: Table, backoff: Backoff): ReserveEndpoint {
  return async (endpoint, handshake) => {
    const input = reserveInput(table.name, endpoint, handshake);
    const failed = await transact(table, input, backoff);
    return failed === null ? 'reserved' : 'limit_reached';
  };
}

function reserveInput(tableName: string, endpoint: Endpoint, handshake: Delivery): TransactWriteCommandInput {
  return {
    // Makes a retry of this request idempotent.
    ClientRequestToken: endpoint.id,
    TransactItems: [
      {
        Update: {
          TableName: tableName,
          Key: slotsKey(endpoint.customerId),
          UpdateExpression: 'ADD webhooks :ids',
          ConditionExpression: hasFreeSlot,
          ExpressionAttributeValues: {
            ':ids': new Set([endpoint.id]),
            ':max': limits.endpointsPerCustomer,
          },
        },
      },
      {
        Put: {
          TableName: tableName,
          Item: { ...liveEndpointKey(endpoint.customerId, endpoint.id), ...toEndpointItem(endpoint) },
        },
      },
      {
        Put: {
          TableName: tableName,
          Item: {
            ...toDeliveryItem(handshake),
            ...waitingAttributes(handshake, handshake.claim?.leaseUntil ?? endpoint.createdAt),
          },
        },
      },
    ],
  };
}

/**
 * Replaces a live endpoint with a tombstone and frees its slot. The tombstone is a copy, so a change to the endpoint
 * after the read starts another try.
 *
 * @param at time of the deletion, epoch milliseconds
 * @returns `false` when the endpoint does not exist or was deleted before
 */
export function deleteEndpoint(table: Table, backoff: Backoff): DeleteEndpoint {
  return async (customerId, webhookId, at) => {
    for (let attempt = 1; attempt <= transactionTries; attempt += 1) {
      const endpoint = await readLiveEndpoint(table)(customerId, webhookId);
      if (endpoint === null) return false;
      const failed = await transact(table, deletionInput(table.name, endpoint, at), backoff);
      if (failed === null) return true;
    }
    throw new Error(
      `Cannot delete endpoint ${webhookId}: it changed during each of ${transactionTries} tries`,
    );
  };
}

function deletionInput(tableName: string, endpoint: Endpoint, at: number): TransactWriteCommandInput {
  const { customerId, id } = endpoint;
  const {
    secret: _,
    previous_secret: __,
    previous_secret_expires_at: ___,
    slow_since: ____,
    ...kept
  } = {
    previous_secret: null,
    previous_secret_expires_at: null,
    slow_since: null,
    ...toEndpointItem(endpoint),
  };
  return {
    TransactItems: [
      {
        Delete: {
          TableName: tableName,
          Key: liveEndpointKey(customerId, id),
          ConditionExpression: isAsRead,
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: {
            ':status': endpoint.status,
            ':partitions': endpoint.deliveryPartitions,
          },
        },
      },
      {
        Put: {
          TableName: tableName,
          Item: { ...tombstoneKey(customerId, id), ...kept, status: 'deleted', deleted_at: at },
        },
      },
      {
        Put: {
          TableName: tableName,
          Item: { ...deletionKey(customerId, at, id), delivery_partitions: endpoint.deliveryPartitions },
        },
      },
      {
        Update: {
          TableName: tableName,
          Key: slotsKey(customerId),
          UpdateExpression: 'DELETE webhooks :ids',
          ExpressionAttributeValues: { ':ids': new Set([id]) },
        },
      },
    ],
  };
}

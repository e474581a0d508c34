import { GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { toDeliveryItem } from '#shared/aws/table/delivery-item.ts';
import { toEndpointItem } from '#shared/aws/table/endpoint-item.ts';
import {
  deleteEndpoint,
  deletionInput,
  reserveEndpoint,
  reserveInput,
} from '#shared/aws/table/endpoint-slots.ts';
import {
  commandsOf,
  mockTable,
  tableName,
  transactionCanceled,
  unexpected,
} from '../../support/aws/aws-mocks.ts';
import {
  buildDelivery,
  buildEndpoint,
  customerId,
  sealedSecret,
  startOfTest,
  webhookId,
} from '../../support/values/builders.ts';
import { secretNamed } from '../../support/values/secret-named.ts';

let { table, mock } = mockTable();
let waits: number[] = [];
beforeEach(() => {
  ({ table, mock } = mockTable());
  waits = [];
});

const backoff = {
  wait: async (ms: number) => {
    waits.push(ms);
  },
  random: () => 0.5,
};
const endpoint = buildEndpoint({ status: 'failed', activatedAt: null });
const handshake = buildDelivery({
  attempts: 1,
  claim: { fencingToken: 'handshake', leaseUntil: startOfTest + 30_000 },
  lastAttemptAt: startOfTest,
});
const liveKey = { pk: `CUS#${customerId}`, sk: `WEBHOOKS#${webhookId}` };
const slots = { pk: `CUS#${customerId}`, sk: 'WEBHOOKS' };
const conflict = () => transactionCanceled('TransactionConflict', 'None', 'None');

describe('reserveEndpoint()', () => {
  const shard = handshake.id.charCodeAt(handshake.id.length - 1) % 8;
  const input = {
    ClientRequestToken: webhookId,
    TransactItems: [
      {
        Update: {
          TableName: tableName,
          Key: slots,
          UpdateExpression: 'ADD webhooks :ids',
          ConditionExpression: '(attribute_not_exists(webhooks) OR size(webhooks) < :max)',
          ExpressionAttributeValues: { ':ids': new Set([webhookId]), ':max': 5 },
        },
      },
      {
        Put: {
          TableName: tableName,
          Item: {
            ...liveKey,
            id: webhookId,
            url: 'https://hooks.example.com/events',
            description: 'Production',
            status: 'failed',
            secret: sealedSecret(secretNamed('current')),
            secret_prefix: 'whsec_curren',
            created_at: startOfTest,
            activated_at: null,
            last_delivery_at: startOfTest,
            delivery_partitions: 1,
          },
        },
      },
      {
        Put: {
          TableName: tableName,
          Item: {
            ...toDeliveryItem(handshake),
            waiting_pk: `WAITING#${shard}`,
            waiting_sk: `0${startOfTest + 30_000}#${handshake.id}`,
          },
        },
      },
    ],
  };
  const reserve = () => reserveEndpoint(table, backoff)(endpoint, handshake);

  it('takes a slot, and stores the endpoint and its claimed handshake, in one transaction', async () => {
    mock.on(TransactWriteCommand).resolves({});

    expect(await reserve()).toBe('reserved');

    expect(commandsOf(mock)).toEqual([{ TransactWriteCommand: input }]);
    expect(reserveInput(tableName, endpoint, handshake)).toEqual(input);
  });

  it('returns that the limit is reached when no slot is free', async () => {
    mock.on(TransactWriteCommand).rejects(transactionCanceled('ConditionalCheckFailed', 'None', 'None'));

    expect(await reserve()).toBe('limit_reached');
    expect(waits).toEqual([]);
  });

  it('tries again after a conflict and a throttle of either billing mode, with growing random waits', async () => {
    mock
      .on(TransactWriteCommand)
      .rejectsOnce(conflict())
      .rejectsOnce(conflict())
      .rejectsOnce(transactionCanceled('ThrottlingError', 'None', 'None'))
      .rejectsOnce(transactionCanceled('None', 'ProvisionedThroughputExceeded', 'None'))
      .resolvesOnce({});

    expect(await reserve()).toBe('reserved');

    expect(waits).toEqual([10, 20, 40, 80]);
    expect(commandsOf(mock)).toEqual(Array.from({ length: 5 }, () => ({ TransactWriteCommand: input })));
  });

  it('gives up after twelve conflicts, with waits that stop growing', async () => {
    mock.on(TransactWriteCommand).rejects(conflict());

    await expect(reserve()).rejects.toThrow('refused');

    expect(mock).toReceiveCommandTimes(TransactWriteCommand, 12);
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 320, 320, 320, 320, 320]);
  });

  it.each([
    { name: 'another failure', error: unexpected },
    { name: 'a transaction that ended for another reason', error: transactionCanceled('ValidationError') },
  ])('throws $name at once', async ({ error }) => {
    mock.on(TransactWriteCommand).rejects(error);

    await expect(reserve().catch((thrown: Error) => thrown.cause ?? thrown)).resolves.toBe(error);

    expect(waits).toEqual([]);
  });
});

describe('deleteEndpoint()', () => {
  const rotating = buildEndpoint({ previousSecret: 'sealed-old', previousSecretExpiresAt: startOfTest + 1 });
  const tombstone = {
    pk: `CUS#${customerId}`,
    sk: `DELETED#${webhookId}`,
    id: webhookId,
    url: 'https://hooks.example.com/events',
    description: 'Production',
    status: 'deleted',
    secret_prefix: 'whsec_curren',
    created_at: startOfTest,
    activated_at: startOfTest + 120,
    last_delivery_at: startOfTest,
    delivery_partitions: 1,
    deleted_at: startOfTest + 500,
  };
  const input = {
    TransactItems: [
      {
        Delete: {
          TableName: tableName,
          Key: liveKey,
          ConditionExpression:
            'attribute_exists(pk) AND #status = :status AND delivery_partitions = :partitions',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':status': 'active', ':partitions': 1 },
        },
      },
      { Put: { TableName: tableName, Item: tombstone } },
      {
        Put: {
          TableName: tableName,
          Item: {
            pk: `CUS#${customerId}`,
            sk: `DELETED_AT#0${startOfTest + 500}#${webhookId}`,
            delivery_partitions: 1,
          },
        },
      },
      {
        Update: {
          TableName: tableName,
          Key: slots,
          UpdateExpression: 'DELETE webhooks :ids',
          ExpressionAttributeValues: { ':ids': new Set([webhookId]) },
        },
      },
    ],
  };
  const read = { GetCommand: { TableName: tableName, Key: liveKey, ConsistentRead: true } };
  const remove = () => deleteEndpoint(table, backoff)(customerId, webhookId, startOfTest + 500);
  const isLive = () => mock.on(GetCommand).resolves({ Item: { ...liveKey, ...toEndpointItem(rotating) } });

  it('replaces the endpoint by a tombstone without secrets and frees its slot in one transaction', async () => {
    isLive();
    mock.on(TransactWriteCommand).resolves({});

    expect(await remove()).toBe(true);

    expect(commandsOf(mock)).toEqual([read, { TransactWriteCommand: input }]);
    expect(deletionInput(tableName, rotating, startOfTest + 500)).toEqual(input);
  });

  it('writes nothing when there is no live endpoint', async () => {
    mock.on(GetCommand).resolves({});

    expect(await remove()).toBe(false);

    expect(commandsOf(mock)).toEqual([read]);
  });

  const live = { Item: { ...liveKey, ...toEndpointItem(rotating) } };

  it('returns false for the second of two deletions', async () => {
    mock.on(GetCommand).resolvesOnce(live).resolves({});
    mock.on(TransactWriteCommand).rejects(transactionCanceled('ConditionalCheckFailed', 'None', 'None'));

    expect(await remove()).toBe(false);
  });

  it('reads the endpoint again when it changed after the first read', async () => {
    const spread = { Item: { ...live.Item, delivery_partitions: 8 } };
    mock.on(GetCommand).resolvesOnce(live).resolves(spread);
    mock
      .on(TransactWriteCommand)
      .rejectsOnce(transactionCanceled('ConditionalCheckFailed', 'None', 'None'))
      .resolvesOnce({});

    expect(await remove()).toBe(true);

    const written = deletionInput(tableName, { ...rotating, deliveryPartitions: 8 }, startOfTest + 500);
    expect(commandsOf(mock).at(-1)).toEqual({ TransactWriteCommand: written });
  });

  it('gives up on an endpoint that changes all the time', async () => {
    isLive();
    mock.on(TransactWriteCommand).rejects(transactionCanceled('ConditionalCheckFailed', 'None', 'None'));

    await expect(remove()).rejects.toThrow('it changed during each of 12 tries');
  });

  it('tries again after a conflict', async () => {
    isLive();
    mock.on(TransactWriteCommand).rejectsOnce(conflict()).resolvesOnce({});

    expect(await remove()).toBe(true);
    expect(waits).toEqual([10]);
  });
});

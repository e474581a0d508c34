import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  listCustomerIds,
  listEndpointsSince,
  markDue,
  readAuditedDeliveries,
  readAuditedDelivery,
} from '#shared/aws/table/audit-reads.ts';
import { toDeliveryItem } from '#shared/aws/table/delivery-item.ts';
import { waitingAttributes } from '#shared/aws/table/keys.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import {
  commandsOf,
  conditionFailed,
  mockTable,
  tableName,
  unexpected,
} from '../../support/aws/aws-mocks.ts';
import { buildDelivery, customerId, startOfTest, webhookId } from '../../support/values/builders.ts';

let { table, mock, reports } = mockTable();
beforeEach(() => {
  ({ table, mock, reports } = mockTable());
});

const delivery = buildDelivery();
const key = { customerId, webhookId, id: delivery.id };
const Key = { pk: `DLV#${customerId}#${webhookId}#0`, sk: delivery.id };
const { waiting_pk, waiting_sk } = waitingAttributes(delivery, startOfTest);
const row = { sk: delivery.id, status: 'pending' };
const audited = { key, status: 'pending', createdAt: startOfTest + 1, leaseUntil: null, dueAt: null };

const projection = {
  ProjectionExpression: 'sk, #status, lease_until, waiting_sk',
  ExpressionAttributeNames: { '#status': 'status' },
};

async function collect<T>(pages: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

describe('listCustomerIds()', () => {
  it('reads the list of customers page by page', async () => {
    const next = { pk: 'CUSTOMERS', sk: 'cus_2' };
    mock
      .on(QueryCommand)
      .resolvesOnce({ Items: [{ sk: 'cus_1' }, { sk: 'cus_2' }], LastEvaluatedKey: next })
      .resolvesOnce({ Items: [{ sk: 'cus_3' }] });

    expect(await collect(listCustomerIds(table)())).toEqual([['cus_1', 'cus_2'], ['cus_3']]);

    const query = {
      TableName: tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': 'CUSTOMERS' },
      ProjectionExpression: 'sk',
    };
    expect(commandsOf(mock)).toMatchObject([
      { QueryCommand: query },
      { QueryCommand: { ...query, ExclusiveStartKey: next } },
    ]);
  });

  it('requests no page before the caller needs it', async () => {
    mock.on(QueryCommand).resolves({ Items: [{ sk: 'cus_1' }], LastEvaluatedKey: Key });

    for await (const _ of listCustomerIds(table)()) break;

    expect(mock.commandCalls(QueryCommand)).toHaveLength(1);
  });
});

describe('listEndpointsSince()', () => {
  const deletedAt = (time: number, id: string) => `DELETED_AT#0${time}#${id}`;
  const ranges = {
    live: { first: 'WEBHOOKS#', last: 'WEBHOOKS#~' },
    deleted: { first: deletedAt(startOfTest, ''), last: 'DELETED_AT#9007199254740991#~' },
    earlier: { first: 'TOMBSTONE#', last: 'TOMBSTONE#~' },
  };
  /** Answers with these rows, by the range of their sort keys. */
  const store = (rows: Readonly<Partial<Record<keyof typeof ranges, readonly object[]>>>) =>
    mock.on(QueryCommand).callsFake(({ ExpressionAttributeValues }) => {
      const [range] = (['live', 'deleted', 'earlier'] as const).filter(
        (name) => ranges[name].first === ExpressionAttributeValues[':first'],
      );
      return { Items: range === undefined ? [] : rows[range] };
    });
  const list = () => listEndpointsSince(table)(customerId, startOfTest);

  it('reads live endpoints, those deleted since, and tombstones of earlier releases, strongly consistent', async () => {
    store({
      live: [{ sk: 'WEBHOOKS#whe_1', delivery_partitions: 1 }],
      deleted: [{ sk: deletedAt(startOfTest + 1, 'whe_2'), delivery_partitions: 8 }],
      earlier: [{ sk: 'TOMBSTONE#whe_3', delivery_partitions: 2 }],
    });

    expect(new Set(await list())).toEqual(
      new Set([
        { customerId, id: 'whe_1', deliveryPartitions: 1 },
        { customerId, id: 'whe_2', deliveryPartitions: 8 },
        { customerId, id: 'whe_3', deliveryPartitions: 2 },
      ]),
    );

    const query = ({ first, last }: (typeof ranges)['live']) => ({
      QueryCommand: {
        TableName: tableName,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':pk': `CUS#${customerId}`, ':first': first, ':last': last },
        ProjectionExpression: 'sk, delivery_partitions',
        ConsistentRead: true,
      },
    });
    expect(commandsOf(mock)).toMatchObject([ranges.live, ranges.deleted, ranges.earlier].map(query));
  });

  it('returns an endpoint that is deleted between the two reads once', async () => {
    store({
      live: [{ sk: 'WEBHOOKS#whe_1', delivery_partitions: 2 }],
      deleted: [{ sk: deletedAt(startOfTest + 1, 'whe_1'), delivery_partitions: 4 }],
    });

    expect(await list()).toEqual([{ customerId, id: 'whe_1', deliveryPartitions: 4 }]);
  });

  it('assumes 32 partitions for an endpoint whose row does not state its partitions', async () => {
    store({ live: [{ sk: 'WEBHOOKS#whe_broken' }] });

    expect(await list()).toEqual([{ customerId, id: 'whe_broken', deliveryPartitions: 32 }]);
  });

  it('reads every page of each query', async () => {
    const endpoint = (id: string) => ({ sk: `WEBHOOKS#${id}`, delivery_partitions: 1 });
    mock
      .on(QueryCommand)
      .resolvesOnce({ Items: [endpoint('whe_1')], LastEvaluatedKey: Key })
      .resolvesOnce({ Items: [], LastEvaluatedKey: Key })
      .resolvesOnce({ Items: [endpoint('whe_2')] })
      .resolves({ Items: [] });

    const found = await list();

    expect(found.map(({ id }) => id)).toEqual(['whe_1', 'whe_2']);
    expect(mock.commandCalls(QueryCommand)).toHaveLength(5);
  });
});

describe('readAuditedDeliveries()', () => {
  const endpoint = { customerId, id: webhookId, deliveryPartitions: 1 };
  const span = { from: startOfTest, to: startOfTest };

  it('queries one partition by the time in the keys, without the bodies', async () => {
    mock.on(QueryCommand).resolves({ Items: [row] });

    expect(await collect(readAuditedDeliveries(table)(endpoint, span))).toEqual([[audited]]);

    expect(commandsOf(mock)).toMatchObject([
      {
        QueryCommand: {
          TableName: tableName,
          KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
          ExpressionAttributeValues: {
            ':pk': Key.pk,
            ':first': firstIdAt('delivery', startOfTest),
            ':last': firstIdAt('delivery', startOfTest + 1),
          },
          ...projection,
        },
      },
    ]);
  });

  it('queries each partition, a page at a time', async () => {
    mock
      .on(QueryCommand)
      .resolvesOnce({ Items: [row], LastEvaluatedKey: Key })
      .resolves({ Items: [] });

    const pages = await collect(readAuditedDeliveries(table)({ ...endpoint, deliveryPartitions: 3 }, span));

    expect(pages.map((page) => page.length)).toEqual([1, 0, 0, 0]);
    const asked = mock.commandCalls(QueryCommand).map(({ args: [{ input }] }) => input);
    expect(asked.map((input) => input.ExpressionAttributeValues?.[':pk'])).toEqual(
      [0, 0, 1, 2].map((partition) => `DLV#${customerId}#${webhookId}#${partition}`),
    );
    expect(asked[1]).toMatchObject({ ExclusiveStartKey: Key });
  });

  it('requests no page before the caller needs it', async () => {
    mock.on(QueryCommand).resolves({ Items: [row], LastEvaluatedKey: Key });

    for await (const _ of readAuditedDeliveries(table)({ ...endpoint, deliveryPartitions: 3 }, span)) break;

    expect(mock.commandCalls(QueryCommand)).toHaveLength(1);
  });

  it.each([
    ['a lease', { lease_until: startOfTest + 5 }, { leaseUntil: startOfTest + 5 }],
    ['a wake-up', { waiting_sk }, { dueAt: startOfTest }],
    ['an end', { status: 'failed' }, { status: 'failed' }],
  ])('returns %s', async (_, stored, seen) => {
    mock.on(QueryCommand).resolves({ Items: [{ ...row, ...stored }] });

    expect(await collect(readAuditedDeliveries(table)(endpoint, span))).toEqual([[{ ...audited, ...seen }]]);
  });

  it('reports a delivery that it cannot read, and returns the others', async () => {
    mock.on(QueryCommand).resolves({ Items: [{ ...row, status: 'lost' }, row] });

    expect(await collect(readAuditedDeliveries(table)(endpoint, span))).toEqual([[audited]]);
    expect(reports).toMatchObject([
      {
        name: 'row.unreadable',
        key: { pk: expect.stringMatching(/^DLV#/), sk: row.sk },
        fault: expect.stringContaining('status'),
      },
    ]);
  });
});

describe('readAuditedDelivery()', () => {
  it('gets one delivery, strongly consistent, without its body', async () => {
    mock.on(GetCommand).resolves({ Item: row });

    expect(await readAuditedDelivery(table)(key)).toEqual(audited);

    expect(commandsOf(mock)).toEqual([
      { GetCommand: { TableName: tableName, Key, ConsistentRead: true, ...projection } },
    ]);
  });

  it('returns null when the delivery does not exist', async () => {
    mock.on(GetCommand).resolves({});

    expect(await readAuditedDelivery(table)(key)).toBeNull();
  });
});

describe('markDue()', () => {
  const give = () => markDue(table)(key, startOfTest);

  it('puts a pending delivery into the waiting index, unless it is there already', async () => {
    mock.on(UpdateCommand).resolves({});

    expect(await give()).toBe(true);

    expect(commandsOf(mock)).toEqual([
      {
        UpdateCommand: {
          TableName: tableName,
          Key,
          UpdateExpression: 'SET waiting_pk = :shard, waiting_sk = :place',
          ConditionExpression: '#status = :pending AND attribute_not_exists(waiting_sk)',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':pending': 'pending', ':shard': waiting_pk, ':place': waiting_sk },
        },
      },
    ]);
  });

  it('returns false when the delivery ended, waits already or is gone', async () => {
    mock.on(UpdateCommand).rejects(conditionFailed(toDeliveryItem(delivery)));

    expect(await give()).toBe(false);
  });

  it('throws every other failure', async () => {
    await expect(give()).rejects.toBe(unexpected);
  });
});

import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { toDeliveryItem } from '#shared/aws/table/delivery-item.ts';
import { waitingAttributes, waitingShards } from '#shared/aws/table/keys.ts';
import { deferDue, listOverdue } from '#shared/aws/table/waiting.ts';
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
const Key = { pk: `DLV#${customerId}#${webhookId}#0`, sk: delivery.id };
const overdue = { customerId, webhookId, id: delivery.id, dueAt: startOfTest };

describe('listOverdue()', () => {
  it('queries one shard of the index up to a time, oldest first', async () => {
    mock.on(QueryCommand).resolves({ Items: [{ ...Key, ...waitingAttributes(delivery, startOfTest) }] });

    expect(await listOverdue(table)(3, startOfTest + 1, 100, null)).toEqual({
      overdue: [overdue],
      next: null,
    });

    expect(commandsOf(mock)).toEqual([
      {
        QueryCommand: {
          TableName: tableName,
          IndexName: 'waiting',
          KeyConditionExpression: 'waiting_pk = :shard AND waiting_sk < :before',
          ExpressionAttributeValues: { ':shard': 'WAITING#3', ':before': `0${startOfTest + 1}` },
          Limit: 100,
        },
      },
    ]);
  });
});

describe('listOverdue() from a page on', () => {
  const last = { ...Key, ...waitingAttributes(delivery, startOfTest) };

  it('listOverdue() continues after the last row that was read', async () => {
    mock
      .on(QueryCommand)
      .resolvesOnce({ Items: [last], LastEvaluatedKey: last })
      .resolves({ Items: [] });
    const { next } = await listOverdue(table)(3, startOfTest + 1, 1, null);

    await listOverdue(table)(3, startOfTest + 1, 1, next);

    expect(commandsOf(mock).at(-1)).toMatchObject({ QueryCommand: { ExclusiveStartKey: last } });
  });

  it('listOverdue() continues after rows that are not deliveries, and reports them', async () => {
    const odd = [
      { ...last, pk: 'BULK#cus_1#rpl_1' },
      { ...last, waiting_sk: 'soon' },
    ];
    mock.on(QueryCommand).resolves({ Items: odd, LastEvaluatedKey: odd[1] });

    const page = await listOverdue(table)(3, startOfTest + 1, 2, null);

    expect(page).toEqual({ overdue: [], next: expect.any(String) });
    expect(reports).toMatchObject([
      { name: 'row.unreadable', kind: 'Delivery', key: { pk: 'BULK#cus_1#rpl_1', sk: delivery.id } },
      { name: 'row.unreadable', kind: 'Delivery', key: Key },
    ]);
  });
});

describe('deferDue()', () => {
  const postpone = () => deferDue(table)(overdue, startOfTest + 900_000);

  it('moves the wake-up if it is unchanged since it was listed', async () => {
    mock.on(UpdateCommand).resolves({ Attributes: toDeliveryItem(delivery) });

    expect(await postpone()).toEqual(delivery);

    expect(commandsOf(mock)).toEqual([
      {
        UpdateCommand: {
          TableName: tableName,
          Key,
          UpdateExpression: 'SET waiting_sk = :next',
          ConditionExpression: '#status = :pending AND waiting_sk = :seen',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: {
            ':pending': 'pending',
            ':seen': `0${startOfTest}#${delivery.id}`,
            ':next': `0${startOfTest + 900_000}#${delivery.id}`,
          },
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
    ]);
  });

  it('returns null when the delivery ended or its wake-up was moved meanwhile', async () => {
    mock.on(UpdateCommand).rejects(conditionFailed(toDeliveryItem(delivery)));

    expect(await postpone()).toBeNull();
  });

  it('succeeds when a repeated write finds its own wake-up: the first response was lost', async () => {
    const moved = { ...toDeliveryItem(delivery), ...waitingAttributes(delivery, startOfTest + 900_000) };
    mock.on(UpdateCommand).rejects(conditionFailed(moved));

    expect(await postpone()).toEqual(delivery);
  });

  it('does not wake a delivery that ended, for any stored wake-up', async () => {
    const ended = { ...toDeliveryItem({ ...delivery, status: 'delivered', endedAt: startOfTest }) };
    mock
      .on(UpdateCommand)
      .rejects(conditionFailed({ ...ended, ...waitingAttributes(delivery, startOfTest + 900_000) }));

    expect(await postpone()).toBeNull();
  });

  it('throws every other failure', async () => {
    await expect(postpone()).rejects.toBe(unexpected);
  });
});

describe('waitingAttributes()', () => {
  it('spreads deliveries over all shards', () => {
    const shards = Array.from({ length: 400 }, (_, number) =>
      waitingAttributes(buildDelivery({}, number), startOfTest),
    );

    expect(new Set(shards.map(({ waiting_pk }) => waiting_pk)).size).toBe(waitingShards);
  });

  it('sorts by time as text, also where the number of digits changes', () => {
    const times = [1, 999, 1000, startOfTest, 9_999_999_999_999, 10_000_000_000_000];

    const sorted = times.map((time) => waitingAttributes(delivery, time).waiting_sk ?? '').sort();

    expect(sorted.map((text) => Number(text.split('#')[0]))).toEqual(times);
  });
});

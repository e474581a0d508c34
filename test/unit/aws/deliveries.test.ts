import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { putInput, readDelivery, storeDelivery } from '#shared/aws/table/deliveries.ts';
import { fromDeliveryItem, toDeliveryItem, toLogEntry } from '#shared/aws/table/delivery-item.ts';
import { readDeliveries } from '#shared/aws/table/delivery-pages.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { mergeNewestFirst } from '#shared/domain/newest-first.ts';
import type { Rows } from '#shared/operations/customer/paging.ts';
import {
  commandsOf,
  conditionFailed,
  mockTable,
  tableName,
  unexpected,
} from '../../support/aws/aws-mocks.ts';
import {
  acknowledgedAttempt,
  buildDelivery,
  buildEndpoint,
  customerId,
  rejectedAttempt,
  runBody,
  startOfTest,
  webhookId,
} from '../../support/values/builders.ts';

let { table, mock } = mockTable();
beforeEach(() => {
  ({ table, mock } = mockTable());
});

const delivery = buildDelivery();
const key = { pk: `DLV#${customerId}#${webhookId}#0`, sk: delivery.id };

describe('storeDelivery()', () => {
  const input = {
    TableName: tableName,
    Item: { ...key, body: runBody, status: 'pending', attempts: 0 },
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };

  it('stores a new delivery without an index entry', async () => {
    mock.on(PutCommand).resolves({});

    expect(await storeDelivery(table)(delivery, null)).toBe(delivery);

    expect(commandsOf(mock)).toEqual([{ PutCommand: input }]);
    expect(putInput(tableName, delivery, null)).toEqual(input);
  });

  it('puts a delivery that no message brings back into the waiting index', () => {
    const shard = delivery.id.charCodeAt(delivery.id.length - 1) % 8;

    expect(putInput(tableName, delivery, startOfTest).Item).toEqual({
      ...input.Item,
      waiting_pk: `WAITING#${shard}`,
      waiting_sk: `0${startOfTest}#${delivery.id}`,
    });
  });

  it('returns the delivery that is stored already', async () => {
    const stored = {
      ...toDeliveryItem(delivery),
      attempts: 1,
      status: 'failed',
      log: [toLogEntry(rejectedAttempt)],
    };
    mock.on(PutCommand).rejects(conditionFailed(stored));

    expect(await storeDelivery(table)(delivery, null)).toEqual({
      ...delivery,
      attempts: 1,
      status: 'failed',
      log: [rejectedAttempt],
    });
  });

  it('throws every failure other than a taken id', async () => {
    await expect(storeDelivery(table)(delivery, null)).rejects.toBe(unexpected);
  });
});

describe('readDelivery()', () => {
  it('reads strongly by customer, endpoint and id together', async () => {
    mock.on(GetCommand).resolves({ Item: toDeliveryItem(delivery) });

    expect(await readDelivery(table)(delivery)).toEqual(delivery);

    expect(commandsOf(mock)).toEqual([
      {
        GetCommand: {
          TableName: tableName,
          Key: key,
          ConsistentRead: true,
        },
      },
    ]);
  });

  it('returns null when the delivery does not exist', async () => {
    mock.on(GetCommand).resolves({});

    expect(await readDelivery(table)(delivery)).toBeNull();
  });
});

describe('fromDeliveryItem()', () => {
  it('reads every member of a complete item', () => {
    const claimed = buildDelivery({
      attempts: 1,
      claim: { fencingToken: 't', leaseUntil: startOfTest + 30_000 },
      lastAttemptAt: startOfTest,
      replayOf: 'whd_original',
    });

    expect(fromDeliveryItem(toDeliveryItem(claimed))).toEqual(claimed);
  });

  it('reads the members that attempts add', () => {
    const item = {
      ...toDeliveryItem(delivery),
      status: 'failed',
      attempts: 2,
      retry_at: startOfTest + 2,
      last_at: startOfTest + 1,
      ended_at: startOfTest + 3,
      cancelled: 'endpoint_deleted',
      log: [toLogEntry(rejectedAttempt), toLogEntry(acknowledgedAttempt)],
    };

    expect(fromDeliveryItem(item)).toEqual({
      ...delivery,
      status: 'failed',
      attempts: 2,
      retryAt: startOfTest + 2,
      lastAttemptAt: startOfTest + 1,
      endedAt: startOfTest + 3,
      cancelled: 'endpoint_deleted',
      log: [rejectedAttempt, acknowledgedAttempt],
    });
  });

  it('refuses an item that is not a delivery', () => {
    expect(() => fromDeliveryItem({ ...key, status: 'sent' })).toThrow();
  });
});

describe('readDeliveries()', () => {
  const page = { after: null, limit: 10, matches: null };
  const queryInput = {
    TableName: tableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': key.pk },
    ScanIndexForward: false,
    ConsistentRead: true,
    Limit: 11,
  };

  it('reads a page of an endpoint with one partition in one query, one row more than the page holds', async () => {
    mock.on(QueryCommand).resolves({ Items: [toDeliveryItem(delivery)] });

    expect(await readDeliveries(table)(buildEndpoint(), page)).toEqual({ rows: [delivery], next: null });

    expect(commandsOf(mock)).toEqual([{ QueryCommand: queryInput }]);
  });

  it('begins after the cursor, in every partition', async () => {
    mock.on(QueryCommand).resolves({ Items: [] });

    await readDeliveries(table)(buildEndpoint({ deliveryPartitions: 3 }), { ...page, after: delivery.id });

    expect(mock).toReceiveCommandTimes(QueryCommand, 3);
    for (const partition of [0, 1, 2]) {
      expect(mock).toReceiveCommandWith(QueryCommand, {
        ...queryInput,
        KeyConditionExpression: 'pk = :pk AND sk < :after',
        ExpressionAttributeValues: {
          ':pk': `DLV#${customerId}#${webhookId}#${partition}`,
          ':after': delivery.id,
        },
      });
    }
  });

  it('reads more rows when the list is filtered', async () => {
    mock.on(QueryCommand).resolves({ Items: [] });

    await readDeliveries(table)(buildEndpoint(), { ...page, matches: () => true });

    expect(commandsOf(mock)).toEqual([{ QueryCommand: { ...queryInput, Limit: 250 } }]);
  });
});

describe('mergeNewestFirst()', () => {
  const all = Array.from({ length: 40 }, (_, number) => buildDelivery({}, number)).reverse();

  /** Reads `all`, spread over partitions, in chunks. */
  function walk(
    spread: readonly number[],
    size: number,
    limit: number,
    matching: ReadonlySet<string>,
    unreadable: ReadonlySet<string>,
  ) {
    const partitions = [0, 1, 2, 3].map((partition) => all.filter((_, index) => spread[index] === partition));
    const found: string[] = [];
    let after: string | null = null;
    for (let pages = 0; pages <= all.length + 1; pages += 1) {
      const position: string | null = after;
      const chunks = partitions.map((rows) => {
        const rest = rows.filter(({ id }) => position === null || id < position);
        const chunk = rest.slice(0, size);
        return {
          rows: chunk.filter(({ id }) => !unreadable.has(id)),
          next: rest.length > size ? (chunk.at(-1)?.id ?? null) : null,
        };
      });
      const merged: Rows<Delivery> = mergeNewestFirst(chunks, limit, ({ id }) => matching.has(id));
      expect(merged.rows.length).toBeLessThanOrEqual(limit);
      found.push(...merged.rows.map(({ id }) => id));
      after = merged.next;
      if (after === null) return found;
    }
    throw new Error('The walk does not end');
  }

  it('returns every readable match once and in order, for any number of partitions and page cuts', () => {
    const spread = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: all.length, maxLength: all.length });
    const some = fc.subarray(all.map(({ id }) => id));
    const small = fc.integer({ min: 1, max: 8 });

    fc.assert(
      fc.property(spread, small, small, some, some, (partitions, size, limit, ids, bad) => {
        const expected = all.map(({ id }) => id).filter((id) => ids.includes(id) && !bad.includes(id));
        expect(walk(partitions, size, limit, new Set(ids), new Set(bad))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('returns where to continue when a truncated chunk holds no match', () => {
    const rows = all.slice(0, 3);

    expect(mergeNewestFirst([{ rows, next: rows[2]?.id ?? null }], 10, () => false)).toEqual({
      rows: [],
      next: rows[2]?.id,
    });
  });
});

import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { deferDue } from '#shared/aws/table/deliveries/waiting.ts';
import { waitingAttributes, waitingShards } from '#shared/aws/table/keys.ts';
import { conditionFailed, useMockTable } from '../../support/aws/aws-mocks.ts';
import { buildDelivery, startOfTest } from '../../support/values/builders.ts';

const { table, mock } = useMockTable();
const delivery = buildDelivery();

it('deferDue() does not wake a delivery that ended, for any stored wake-up', async () => {
  const until = startOfTest + 900_000;
  const ended = toDeliveryItem({ ...delivery, status: 'delivered', endedAt: startOfTest });
  mock.on(UpdateCommand).rejects(conditionFailed({ ...ended, ...waitingAttributes(delivery, until) }));

  expect(await deferDue(table, { ...delivery, dueAt: startOfTest }, until)).toBeNull();
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

import { describe, expect, it } from 'vitest';
import { fromDeliveryItem, toDeliveryItem } from '#shared/aws/table/delivery-item.ts';
import { countItems, itemsOf } from '../../../bench/growth/items.ts';
import { deliveryAt, deliveryIdAt, runAt } from '../../../bench/growth/records.ts';
import { sample } from '../../../bench/growth/sample.ts';
import { smallest } from '../../../bench/growth/sizes.ts';

describe('the records of a measured table', () => {
  it('ids and creation times sort by index, so that the position of any page is known', () => {
    const indexes = [0, 1, 2, 99, 100_000, 999_999];

    expect(indexes.map(deliveryIdAt).toSorted()).toEqual(indexes.map(deliveryIdAt));
    const times = indexes.map((index) => runAt(index).created_at);
    expect(times.toSorted()).toEqual(times);
  });

  it('each delivery is one that the service reads back', () => {
    for (const index of [0, 1])
      expect(fromDeliveryItem(toDeliveryItem(deliveryAt(index)))).toEqual(deliveryAt(index));
  });

  it('a table holds the announced number of items, each under a key of its own', () => {
    const size = { ...smallest, stored: 50, customers: 3 };
    const keys = [...itemsOf(size)].map(({ pk, sk }) => `${pk} ${sk}`);

    expect(keys).toHaveLength(countItems(size));
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('sample()', () => {
  it('asks every table equally often, each first in turn', async () => {
    const asked: number[] = [];
    const request = (table: number) => async () => void asked.push(table);

    await sample([request(0), request(1)], 2);

    expect(asked.slice(-4)).toEqual([0, 1, 1, 0]);
    expect(asked.filter((table) => table === 0)).toHaveLength(asked.length / 2);
  });
});

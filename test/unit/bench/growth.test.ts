import { describe, expect, it } from 'vitest';
import { fromDeliveryItem, toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { deliveryAt, deliveryIdAt, itemsOf, runAt } from '../../../tools/bench/growth/records.ts';

const owner = { customerId: 'cus_1', webhookId: 'whe_1' };

describe('the records of a measured table', () => {
  it('ids and creation times sort by index, so that the position of any page is known', () => {
    const indexes = [0, 1, 2, 99, 100_000, 999_999];

    expect(indexes.map(deliveryIdAt).toSorted()).toEqual(indexes.map(deliveryIdAt));
    const times = indexes.map((index) => runAt(index).created_at);
    expect(times.toSorted()).toEqual(times);
  });

  it('each delivery is one that the service reads back', () => {
    const deliveries = [0, 1].map((index) => deliveryAt(index, owner));

    expect(deliveries.map(toDeliveryItem).map(fromDeliveryItem)).toEqual(deliveries);
  });

  it('a table holds a delivery and a Run for each number, each under a key of its own', () => {
    const keys = [...itemsOf({ title: '', stored: 50 }, owner)].map(({ pk, sk }) => `${pk} ${sk}`);

    // Also a Tracker, and three lists with a tenth of the rows.
    expect(keys).toHaveLength(50 + 50 + 1 + 3 * 5);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

import { describe, expect, it } from 'vitest';
import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { type ObservedRange, readObserved } from '#shared/aws/table/deliveries/observed-deliveries.ts';
import { servingUnexpired } from '#shared/aws/unexpired-rows.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { useTable } from '../support/aws/table.ts';
import {
  acknowledgedAttempt,
  buildDelivery,
  buildEndpoint,
  rejectedAttempt,
  startOfTest,
} from '../support/values/builders.ts';

const { current } = useTable();
const now = () => startOfTest;
const endpoint = buildEndpoint();

/** @param age milliseconds before the test */
const idAt = (age: number) => deliveryId(startOfTest - age, digest(String(age)), 1);
const deliveryAt = (age: number) =>
  buildDelivery({ id: idAt(age), status: 'delivered', log: [rejectedAttempt, acknowledgedAttempt] });

describe('readObserved()', () => {
  const all = { partition: 0, first: null, end: null, newestFirst: true };

  it('reads a range in both directions, and says where it goes on and what it took', async () => {
    const ids = [5, 4, 3, 2, 1].map(idAt);
    await current().putItems([5, 4, 3, 2, 1].map((age) => toDeliveryItem(deliveryAt(age))));
    const idsOf = async (range: ObservedRange, limit: number) => {
      const { rows, ...rest } = await readObserved(current(), endpoint, range, limit, startOfTest);
      return { ids: rows.map(({ id }) => id), ...rest };
    };
    const [, first, , end = null] = ids;

    const oldest = await idsOf({ ...all, newestFirst: false }, 2);
    const range = await idsOf({ ...all, first: `${first}`, end }, 9);

    expect(oldest).toEqual({ ids: ids.slice(0, 2), next: ids[1], units: 0.5 });
    expect(range).toEqual({ ids: [ids[2], ids[1]], next: null, units: 0.5 });
  });

  it('reads the status, the replayed delivery and the attempts', async () => {
    const delivery = { ...deliveryAt(1), replayOf: 'whd_another' };
    await current().putItems([toDeliveryItem(delivery)]);

    const { rows } = await readObserved(current(), endpoint, all, 9, startOfTest);

    const { id, status, replayOf, log } = delivery;
    expect(rows).toEqual([{ id, status, replayOf, log }]);
  });

  it('leaves out what has expired with one query, and goes on after it', async () => {
    const expires_at = startOfTest / 1_000;
    await current().putItems([
      ...[1, 2, 3].map((age) => ({ ...toDeliveryItem(deliveryAt(age)), expires_at })),
      { ...toDeliveryItem(deliveryAt(4)), expires_at: expires_at + 1 },
    ]);
    const table = { ...current(), client: servingUnexpired(current().client, now) };
    current().takeReadRows();

    const { rows, next } = await readObserved(table, endpoint, all, 2, startOfTest);

    expect([rows, next]).toEqual([[], idAt(2)]);
    expect(current().takeReadRows()).toBe(2);
    expect((await readObserved(table, endpoint, all, 9, startOfTest)).rows).toHaveLength(1);
  });
});

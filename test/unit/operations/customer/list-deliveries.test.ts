import { describe, expect, it } from 'vitest';
import type { ListDeliveriesQuery } from '#shared/contract/list-query.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { listDeliveries, type ReadDeliveries } from '#shared/operations/customer/list-deliveries.ts';
import type { Rows } from '#shared/operations/customer/paging.ts';
import { memoryStore } from '../../../support/memory/memory-store.ts';
import { cursors } from '../../../support/operations/cursors.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import {
  buildDelivery,
  buildEndpoint,
  customerId,
  deliveryIdNumber,
  handshakeBody,
  webhookId,
} from '../../../support/values/builders.ts';

type Reading = Parameters<ReadDeliveries>[1];

const everything: ListDeliveriesQuery = { limit: 25 };

function createWorld(rows: Rows<Delivery>, endpoint = buildEndpoint()) {
  const readings: Reading[] = [];
  const list = listDeliveries({
    readEndpoint: memoryStore({ endpoints: [endpoint] }).ports.readEndpoint,
    cursors,
    readDeliveries: async (of, reading) => {
      expect(of).toEqual(endpoint);
      readings.push(reading);
      return rows;
    },
  });
  return { readings, list: (query: ListDeliveriesQuery) => list(customerId, webhookId, query) };
}

const two = { rows: [2, 1].map((number) => buildDelivery({ id: deliveryIdNumber(number) })), next: null };

describe('listDeliveries()', () => {
  it('returns the stored deliveries in order, with every status when there is no filter', async () => {
    const world = createWorld(two);

    const page = await world.list({ limit: 7 });

    expect(page).toEqual({ rows: two.rows, nextCursor: null });
    expect(world.readings).toEqual([{ after: null, limit: 7, matches: null }]);
  });

  it('continues where the last page ended, even if it was empty', async () => {
    const world = createWorld({ rows: [], next: deliveryIdNumber(5) });

    const first = await world.list(everything);
    await world.list({ ...everything, cursor: first.nextCursor ?? '' });

    expect(first.rows).toEqual([]);
    expect(world.readings.map(({ after }) => after)).toEqual([null, deliveryIdNumber(5)]);
  });

  it.each([
    [{ status: 'failed' as const }, [true, false, true, false]],
    [{ event_type: 'webhook.test' as const }, [false, false, true, true]],
    [{ status: 'failed' as const, event_type: 'webhook.test' as const }, [false, false, true, false]],
  ])('filters by %o', async (filter, expected) => {
    const world = createWorld(two);
    const candidates = [
      buildDelivery({ status: 'failed' }),
      buildDelivery(),
      buildDelivery({ status: 'failed', body: handshakeBody }),
      buildDelivery({ body: handshakeBody }),
    ];

    await world.list({ ...everything, ...filter });

    expect(candidates.map((delivery) => world.readings[0]?.matches?.(delivery))).toEqual(expected);
  });

  it('refuses a cursor that was made with another filter', async () => {
    const filters: Partial<ListDeliveriesQuery>[] = [
      {},
      { status: 'failed' },
      { status: 'delivered' },
      { event_type: 'webhook.test' },
      { status: 'failed', event_type: 'webhook.test' },
    ];
    const world = createWorld({ rows: [], next: deliveryIdNumber(5) });

    for (const [made, filter] of filters.entries()) {
      const { nextCursor } = await world.list({ ...everything, ...filter });
      const opened = filters.map((other) =>
        world.list({ ...everything, ...other, cursor: nextCursor ?? '' }),
      );
      const results = await Promise.allSettled(opened);

      expect(results.map(({ status }) => status === 'fulfilled')).toEqual(
        filters.map((_, index) => index === made),
      );
    }
  });

  it('lists the deliveries of a deleted endpoint', async () => {
    const world = createWorld(two, buildEndpoint({ status: 'deleted', secret: '' }));

    await expect(world.list(everything)).resolves.toMatchObject({ rows: { length: 2 } });
  });

  it('answers not_found for an endpoint that does not exist, before it checks the cursor', async () => {
    const list = listDeliveries({
      readEndpoint: async () => null,
      readDeliveries: unexpected('readDeliveries'),
      cursors: { seal: unexpected('seal'), open: unexpected('open') },
    });

    await expect(list(customerId, webhookId, { limit: 25, cursor: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

import { describe, expect, it } from 'vitest';
import type { ListDeliveriesQuery } from '#shared/contract/list-query.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
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
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

type Reading = Parameters<ReadDeliveries>[1];

const everything: ListDeliveriesQuery = { limit: 25 };
const eventIdOf = (number: number) => makeId('event', startOfTest, digest(String(number)));

function createWorld(rows: Rows<Delivery>, endpoint = buildEndpoint()) {
  const readings: Reading[] = [];
  const ofEvents: (Reading & { readonly eventIds: readonly string[] })[] = [];
  const list = listDeliveries({
    readEndpoint: memoryStore({ endpoints: [endpoint] }).ports.readEndpoint,
    cursors,
    readDeliveries: async (of, reading) => {
      expect(of).toEqual(endpoint);
      readings.push(reading);
      return rows;
    },
    readEventDeliveries: async (of, eventIds, reading) => {
      expect(of).toEqual(endpoint);
      ofEvents.push({ eventIds, ...reading });
      return rows;
    },
    readRunEventIds: async (of, runId) => {
      expect(of).toBe(customerId);
      return runId === 'run_known' ? [eventIdOf(1), eventIdOf(2)] : [];
    },
  });
  return { readings, ofEvents, list: (query: ListDeliveriesQuery) => list(customerId, webhookId, query) };
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

  it('reads only the range of the asked times, with the other filters', async () => {
    const world = createWorld(two);

    await world.list({ limit: 7, created_after: 5, created_before: 9, status: 'failed' });

    expect(world.readings).toEqual([
      { after: null, limit: 7, matches: expect.any(Function), createdAfter: 5, createdBefore: 9 },
    ]);
  });

  it('reads only the deliveries of the asked event', async () => {
    const world = createWorld(two);

    const page = await world.list({ limit: 7, event_id: eventIdOf(1) });

    expect(page).toEqual({ rows: two.rows, nextCursor: null });
    expect(world.readings).toEqual([]);
    expect(world.ofEvents).toEqual([{ eventIds: [eventIdOf(1)], after: null, limit: 7, matches: null }]);
  });

  it('reads the events of a Run, and leaves out deliveries that name another Run', async () => {
    const world = createWorld(two);
    const ofRun = buildDelivery();
    const ofOther = buildDelivery({ event: { ...ofRun.event, runId: 'run_other' } });
    const known = buildDelivery({ event: { ...ofRun.event, runId: 'run_known' } });

    await world.list({ limit: 7, run_id: 'run_known' });

    expect(world.readings).toEqual([]);
    expect(world.ofEvents).toMatchObject([{ eventIds: [eventIdOf(1), eventIdOf(2)], limit: 7 }]);
    expect([ofOther, known].map((delivery) => world.ofEvents[0]?.matches?.(delivery))).toEqual([false, true]);
  });

  it('reads only the asked event of a Run', async () => {
    const world = createWorld(two);

    await world.list({ limit: 7, event_id: eventIdOf(3), run_id: 'run_known' });

    expect(world.ofEvents).toMatchObject([{ eventIds: [eventIdOf(3)] }]);
  });

  it('takes the cursors of earlier releases, which know two filters', async () => {
    const world = createWorld(two);
    const scope = ['deliveries', customerId, webhookId, 'failed', ''];
    const cursor = await cursors.seal(scope, deliveryIdNumber(5));

    await world.list({ limit: 7, status: 'failed', cursor });

    expect(world.readings).toMatchObject([{ after: deliveryIdNumber(5) }]);
  });

  it('refuses a cursor that was made with another filter', async () => {
    const filters: Partial<ListDeliveriesQuery>[] = [
      {},
      { status: 'failed' },
      { status: 'delivered' },
      { event_type: 'webhook.test' },
      { status: 'failed', event_type: 'webhook.test' },
      { event_id: eventIdOf(1) },
      { event_id: eventIdOf(2) },
      { run_id: 'run_known' },
      { event_id: eventIdOf(1), run_id: 'run_known' },
      { created_after: 1 },
      { created_before: 1 },
      { created_after: 1, created_before: 2 },
      { created_after: 1, created_before: 2, status: 'failed' },
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
      readEventDeliveries: unexpected('readEventDeliveries'),
      readRunEventIds: unexpected('readRunEventIds'),
      cursors: { seal: unexpected('seal'), open: unexpected('open') },
    });

    await expect(list(customerId, webhookId, { limit: 25, cursor: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListDeliveriesQuery } from '#shared/contract/list-query.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { listAllDeliveries } from '#shared/operations/customer/list-all-deliveries.ts';
import type { DeliveryPage } from '#shared/operations/customer/list-deliveries.ts';
import type { Rows } from '#shared/operations/customer/paging.ts';
import { cursors, foreignCursor } from '../../../support/operations/cursors.ts';
import {
  buildDelivery,
  buildEndpoint,
  customerId,
  deliveryIdNumber,
} from '../../../support/values/builders.ts';

const endpointIds = ['whe_a', 'whe_b', 'whe_c', 'whe_d', 'whe_e'];
const endpoints = endpointIds.map((id) => buildEndpoint({ id }));

/** A delivery of the endpoint with this index; every third one failed. */
const deliveryOf = (endpoint: number, number: number): Delivery =>
  buildDelivery({
    id: deliveryIdNumber(number),
    webhookId: endpointIds[endpoint] ?? '',
    status: number % 3 === 0 ? 'failed' : 'delivered',
  });

/**
 * A page of one endpoint as the table reads it: it examines at most `chunk` rows with a filter, so it can be short or
 * empty without being the last.
 */
function readPage(stored: readonly Delivery[], chunk: number, page: DeliveryPage): Rows<Delivery> {
  const { after, limit, matches } = page;
  const rest = stored
    .filter(({ id }) => after === null || id < after)
    .toSorted((left, right) => (left.id < right.id ? 1 : -1));
  const read = rest.slice(0, matches === null ? limit + 1 : chunk);
  const fitting = read.filter(matches ?? (() => true));
  const rows = fitting.slice(0, limit);
  if (fitting.length > limit) return { rows, next: rows.at(-1)?.id ?? null };
  return { rows, next: read.length < rest.length ? (read.at(-1)?.id ?? null) : null };
}

function createWorld(stored: readonly Delivery[], chunk = 250, live: readonly Endpoint[] = endpoints) {
  const asked: (readonly [kind: string, ...of: readonly unknown[]])[] = [];
  const list = listAllDeliveries({
    cursors,
    listLiveEndpoints: async (of) => (of === customerId ? live : []),
    readDeliveries: async ({ id }, page) => {
      asked.push(['deliveries', id]);
      return readPage(
        stored.filter(({ webhookId }) => webhookId === id),
        chunk,
        page,
      );
    },
    readEventDeliveries: async ({ id }, eventIds) => {
      asked.push(['event', id, eventIds]);
      return { rows: [], next: null };
    },
    readRunEventIds: async (_customer, runId) => {
      asked.push(['run', runId]);
      return ['evt_1', 'evt_2'];
    },
  });
  return { asked, list };
}

/** Every page of the list. */
async function walk(
  list: ReturnType<typeof createWorld>['list'],
  query: ListDeliveriesQuery,
): Promise<readonly (readonly Delivery[])[]> {
  const pages: (readonly Delivery[])[] = [];
  let cursor: string | undefined;
  do {
    const { rows, nextCursor } = await list(customerId, { ...query, cursor });
    pages.push(rows);
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

describe('listAllDeliveries()', () => {
  it('its pages of any size are the flat list of all endpoints, with and without a filter', async () => {
    const places = fc.array(fc.nat(4), { maxLength: 60 });
    const run = fc.asyncProperty(
      places,
      fc.integer({ min: 1, max: 25 }),
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      async (owners, limit, chunk, filtered) => {
        const stored = owners.map((endpoint, number) => deliveryOf(endpoint, number));
        const { list } = createWorld(stored, chunk);

        const pages = await walk(list, { limit, ...(filtered ? { status: 'failed' as const } : {}) });

        const expected = stored.filter(({ status }) => !filtered || status === 'failed').toReversed();
        expect(pages.flat()).toEqual(expected);
        expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit);
        if (filtered) return;
        expect(pages.slice(0, -1).every(({ length }) => length === limit)).toBe(true);
      },
    );
    await fc.assert(run, { numRuns: 300 });
  });

  it('reads each endpoint once for a page, and a Run once for all of them', async () => {
    const { asked, list } = createWorld([deliveryOf(0, 1)]);

    await list(customerId, { limit: 25 });
    expect(asked).toEqual(endpointIds.map((id) => ['deliveries', id]));
    asked.length = 0;
    await list(customerId, { limit: 25, run_id: 'run_1' });

    expect(asked).toEqual([['run', 'run_1'], ...endpointIds.map((id) => ['event', id, ['evt_1', 'evt_2']])]);
  });

  it('shows nothing of an endpoint that the customer does not hold', async () => {
    const { list } = createWorld([deliveryOf(0, 1), deliveryOf(1, 2)], 250, endpoints.slice(1));

    const { rows } = await list(customerId, { limit: 25 });

    expect(rows.map(({ webhookId }) => webhookId)).toEqual(['whe_b']);
  });

  it.each([{}, { run_id: 'run_1' }])('is empty for a customer without endpoints: %o', async (query) => {
    const { list } = createWorld([], 250, []);

    expect(await list(customerId, { limit: 25, ...query })).toEqual({ rows: [], nextCursor: null });
  });

  it('takes a cursor only for the same list, customer and filters', async () => {
    const { list } = createWorld([1, 2, 3].map((number) => deliveryOf(0, number)));
    const { nextCursor } = await list(customerId, { limit: 1 });
    const cursor = nextCursor ?? '';
    const scope = ['deliveries', customerId, 'whe_a', '', ''];
    const ofEndpoint = await cursors.seal(scope, deliveryIdNumber(1));

    expect(await list(customerId, { limit: 2, cursor })).toMatchObject({ nextCursor: null });
    for (const refused of [
      list(customerId, { limit: 1, cursor, status: 'failed' }),
      list(customerId, { limit: 1, cursor, created_after: 0 }),
      list(customerId, { limit: 1, cursor: ofEndpoint }),
      list('cus_other', { limit: 1, cursor }),
    ])
      await expect(refused).rejects.toMatchObject(foreignCursor);
  });
});

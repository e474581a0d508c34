import { describe, expect, it } from 'vitest';
import type { ListDeliveriesQuery } from '#shared/contract/list-query.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { digest } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { makeId } from '#shared/domain/ids.ts';
import { listDeliveries, type ReadDeliveries } from '#shared/operations/customer/list-deliveries.ts';
import type { Rows } from '#shared/operations/paging.ts';
import { cursors } from '../../../support/operations/cursors.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import {
  buildDelivery,
  buildEndpoint,
  buildLogEntry,
  customerId,
  deliveryIdNumber,
  handshakeBody,
  runBody,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

type Query = Partial<ListDeliveriesQuery>;
type Reading = Parameters<ReadDeliveries>[1] & { readonly eventIds?: readonly string[] };

const eventIdOf = (number: number) => makeId('event', startOfTest, digest(String(number)));
const [first, second, third] = [eventIdOf(1), eventIdOf(2), eventIdOf(3)] as const;
const run_id = 'run_known';
const two = { rows: [buildDelivery({}, 2), buildDelivery({}, 1)], next: null };
const more = { rows: [], next: deliveryIdNumber(5) };

function createWorld(rows: Rows<Delivery> = two, endpoint: Endpoint | null = buildEndpoint()) {
  const readings: Reading[] = [];
  const list = listDeliveries({
    table: recordStore({ endpoints: endpoint === null ? [] : [endpoint] }).ports.table,
    cursors,
    readDeliveries: async (of, reading) => {
      expect(endpoint).toMatchObject(of);
      readings.push(reading);
      return rows;
    },
    readEventDeliveries: async (of, eventIds, reading) => {
      expect(endpoint).toMatchObject(of);
      readings.push({ eventIds, ...reading });
      return rows;
    },
    readRunEventIds: async (of, runId) => {
      expect(of).toBe(customerId);
      return runId === run_id ? [first, second] : [];
    },
  });
  return { readings, list: (query: Query) => list(customerId, webhookId, { limit: 7, ...query }) };
}

describe('listDeliveries()', () => {
  const matches = expect.any(Function);

  it.each<[string, Query, Partial<Reading>]>([
    ['all deliveries', {}, { matches: null }],
    [
      'the range of the asked times, with the other filters',
      { created_after: 5, created_before: 9, status: 'failed' },
      { matches, createdAfter: 5, createdBefore: 9 },
    ],
    ['the deliveries of the asked event', { event_id: first }, { eventIds: [first], matches: null }],
    ['the deliveries of the events of a Run', { run_id }, { eventIds: [first, second], matches }],
    ['the asked event of a Run', { event_id: third, run_id }, { eventIds: [third], matches }],
  ])('reads only %s', async (_, query, reading) => {
    const world = createWorld();

    await world.list(query);

    expect(world.readings).toEqual([{ after: null, limit: 7, ...reading }]);
  });

  it.each<[Query, readonly boolean[]]>([
    [{ status: 'failed' }, [true, false, true, false, false]],
    [{ status: 'pending' }, [false, true, false, true, true]],
    [{ status: 'retrying' }, [false, false, false, false, true]],
    [{ event_type: 'webhook.test' }, [false, false, true, true, false]],
    [{ status: 'failed', event_type: 'webhook.test' }, [false, false, true, false, false]],
    [{ run_id: 'run_known' }, [false, true, false, false, false]],
    [{ response_status: '5xx' }, [true, false, false, false, true]],
    [{ response_status: 'none', event_type: 'webhook.test' }, [false, false, true, false, false]],
  ])('filters by %o', async (filter, expected) => {
    const world = createWorld();
    const candidates = [
      buildDelivery({ status: 'failed', log: [buildLogEntry()] }),
      buildDelivery({ body: runBody.replace('run_1', 'run_known') }),
      buildDelivery({
        status: 'failed',
        body: handshakeBody,
        log: [buildLogEntry({ responseStatus: null })],
      }),
      buildDelivery({ body: handshakeBody }),
      buildDelivery({ log: [buildLogEntry()] }),
    ];

    await world.list(filter);

    expect(candidates.map((delivery) => world.readings[0]?.matches?.(delivery))).toEqual(expected);
  });

  it('takes the cursors of earlier releases, which know two filters', async () => {
    const world = createWorld();
    const cursor = await cursors.seal(['deliveries', customerId, webhookId, 'failed', ''], more.next);

    await world.list({ status: 'failed', cursor });

    expect(world.readings).toMatchObject([{ after: more.next }]);
  });

  it('answers not_found for an endpoint that does not exist, before it checks the cursor', async () => {
    const { readings, list } = createWorld(two, null);

    await expect(list({ cursor: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    expect(readings).toEqual([]);
  });
});

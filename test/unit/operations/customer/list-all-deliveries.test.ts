import { describe, expect, it } from 'vitest';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { listAllDeliveries } from '#shared/operations/customer/list-deliveries.ts';
import { cursors } from '../../../support/operations/cursors.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import {
  buildDelivery,
  buildEndpoint,
  customerId,
  deliveryIdNumber,
} from '../../../support/values/builders.ts';

const endpoints = ['whe_b', 'whe_a'].map((id) => buildEndpoint({ id }));
/** Five deliveries, newest first: those with even numbers are of the first endpoint. */
const stored = [5, 4, 3, 2, 1].map((number) =>
  buildDelivery({ webhookId: number % 2 === 0 ? 'whe_a' : 'whe_b' }, number),
);

function createWorld(live: readonly Endpoint[] = endpoints) {
  const asked: (readonly [kind: string, ...of: readonly unknown[]])[] = [];
  const list = listAllDeliveries({
    cursors,
    table: recordStore({ endpoints: live }).ports.table,
    readDeliveries: async ({ id }, { after, limit }) => {
      asked.push(['deliveries', id, after]);
      const rest = stored.filter((row) => row.webhookId === id && (after === null || row.id < after));
      const rows = rest.slice(0, limit);
      return { rows, next: rest.length > limit ? (rows.at(-1)?.id ?? null) : null };
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

const noEvents = { readEventDeliveries: unexpected('events'), readRunEventIds: unexpected('event ids') };

// test/unit/domain/merge-parts.test.ts has how pages of any size are merged.
describe('listAllDeliveries()', () => {
  it('reads on after the last row of a page at every endpoint, once each', async () => {
    const { asked, list } = createWorld();

    const first = await list(customerId, { limit: 3 });
    const last = await list(customerId, { limit: 3, cursor: first.nextCursor ?? '' });

    expect([first.rows, last.rows]).toEqual([stored.slice(0, 3), stored.slice(3)]);
    expect(last.nextCursor).toBeNull();
    const positions = [null, deliveryIdNumber(3)];
    expect(asked).toEqual(positions.flatMap((after) => endpoints.map(({ id }) => ['deliveries', id, after])));
  });

  it('divides what a page may read by the partitions of all endpoints', async () => {
    const spread = [1, 4, 3].map((deliveryPartitions, index) =>
      buildEndpoint({ id: `whe_${9 - index}`, deliveryPartitions }),
    );
    const shares: (number | undefined)[] = [];
    const list = listAllDeliveries({
      ...noEvents,
      cursors,
      table: recordStore({ endpoints: spread }).ports.table,
      readDeliveries: async (_, { share }) => {
        shares.push(share);
        return { rows: [], next: null };
      },
    });

    await list(customerId, { limit: 25, status: 'failed' });

    expect(shares).toEqual([1 / 8, 4 / 8, 3 / 8]);
  });

  it('reads the events of a Run once for all endpoints', async () => {
    const { asked, list } = createWorld();

    await list(customerId, { limit: 25, run_id: 'run_1' });

    expect(asked).toEqual([
      ['run', 'run_1'],
      ...endpoints.map(({ id }) => ['event', id, ['evt_1', 'evt_2']]),
    ]);
  });

  it.each([{}, { run_id: 'run_1' }])('is empty for a customer without endpoints: %o', async (query) => {
    const { list } = createWorld([]);

    expect(await list(customerId, { limit: 25, ...query })).toEqual({ rows: [], nextCursor: null });
  });
});

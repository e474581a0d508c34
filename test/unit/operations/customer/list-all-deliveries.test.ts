import { describe, expect, it } from 'vitest';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { listAllDeliveries } from '#shared/operations/customer/list-deliveries.ts';
import { cursors } from '../../../support/operations/cursors.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import { buildDelivery, buildEndpoint, customerId } from '../../../support/values/builders.ts';

/** Five deliveries, newest first: those with even numbers are of the first endpoint. */
const deliveries = [5, 4, 3, 2, 1].map((number) =>
  buildDelivery({ webhookId: number % 2 === 0 ? 'whe_a' : 'whe_b' }, number),
);

function createWorld(endpoints: readonly Endpoint[] = ['whe_b', 'whe_a'].map((id) => buildEndpoint({ id }))) {
  const { table, asked } = recordStore({ deliveries, endpoints });
  const list = listAllDeliveries({ table, cursors });
  return { list, count: (request: string) => asked.filter((each) => each === request).length };
}

// test/unit/domain/merge-parts.test.ts has how pages of any size are merged, and
// test/integration/find-deliveries.test.ts how the endpoints share what a page may read.
describe('listAllDeliveries()', () => {
  it('reads on after the last row of a page at every endpoint, once each', async () => {
    const { list, count } = createWorld();

    const first = await list(customerId, { limit: 3 });
    const last = await list(customerId, { limit: 3, cursor: first.nextCursor ?? '' });

    expect([first.rows, last.rows]).toEqual([deliveries.slice(0, 3), deliveries.slice(3)]);
    expect(last.nextCursor).toBeNull();
    expect(count('query DLV')).toBe(2 * 2);
  });

  it('reads the events of a Run once for all endpoints', async () => {
    const { list, count } = createWorld();

    await list(customerId, { limit: 25, run_id: 'run_1' });

    expect(count('get RUN')).toBe(1);
  });

  it.each([{}, { run_id: 'run_1' }])('is empty for a customer without endpoints: %o', async (query) => {
    const { list, count } = createWorld([]);

    expect(await list(customerId, { limit: 25, ...query })).toEqual({ rows: [], nextCursor: null });
    expect(count('get RUN')).toBe(0);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deliveryListPorts } from '#shared/aws/delivery-list-ports.ts';
import { toDeliveryItem } from '#shared/aws/table/delivery-item.ts';
import { toEndpointItem } from '#shared/aws/table/endpoint-item.ts';
import { deleteEndpoint } from '#shared/aws/table/endpoint-slots.ts';
import { listLiveEndpoints } from '#shared/aws/table/endpoints.ts';
import { liveEndpointKey, slotsKey } from '#shared/aws/table/keys.ts';
import type { ListDeliveriesQuery } from '#shared/contract/list-query.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { listAllDeliveries } from '#shared/operations/customer/list-all-deliveries.ts';
import { useTable } from '../support/aws/table.ts';
import { cursors } from '../support/operations/cursors.ts';
import { buildDelivery, buildEndpoint, startOfTest } from '../support/values/builders.ts';

const { current } = useTable();

const backoff = { wait: async () => {}, random: () => 0 };
/** Endpoints of one customer by the number of their partitions. */
const widths = [1, 2, 8];
const webhookOf = (customer: string, width: number) => `whe_${customer}${width}`;

/** @param owners the endpoint of each delivery, oldest first; three in each millisecond */
async function fill(customerId: string, owners: readonly number[]): Promise<readonly Delivery[]> {
  const endpoints = widths.map((deliveryPartitions) =>
    buildEndpoint({ id: webhookOf(customerId, deliveryPartitions), customerId, deliveryPartitions }),
  );
  const deliveries = owners.map((owner, number) => {
    const width = widths[owner] ?? 1;
    return buildDelivery({
      id: deliveryId(startOfTest + Math.floor(number / 3), digest(customerId, String(number)), width),
      customerId,
      webhookId: webhookOf(customerId, width),
      status: number % 4 === 0 ? 'failed' : 'delivered',
    });
  });
  await current().putItems([
    { ...slotsKey(customerId), webhooks: new Set(endpoints.map(({ id }) => id)) },
    ...endpoints.map((endpoint) => ({
      ...liveEndpointKey(customerId, endpoint.id),
      ...toEndpointItem(endpoint),
    })),
    ...deliveries.map(toDeliveryItem),
  ]);
  return deliveries;
}

const listOf = () =>
  listAllDeliveries({
    cursors,
    listLiveEndpoints: listLiveEndpoints(current()),
    ...deliveryListPorts(current(), backoff),
  });

async function walk(customerId: string, query: Omit<ListDeliveriesQuery, 'cursor'>) {
  const list = listOf();
  const pages: (readonly Delivery[])[] = [];
  let cursor: string | undefined;
  do {
    const page: Awaited<ReturnType<typeof list>> = await list(customerId, { ...query, cursor });
    pages.push(page.rows);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

const idsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id);
const newestFirst = (deliveries: readonly Delivery[]) => idsOf(deliveries).sort().reverse();

describe('the deliveries of all endpoints of a customer', () => {
  it('are the flat list in pages of any size, over endpoints with 1, 2 and 8 partitions', async () => {
    let customers = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(2), { maxLength: 40 }),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom('all', 'failed', 'range'),
        async (owners, limit, asked) => {
          customers += 1;
          const customerId = `cus_all${customers}`;
          const deliveries = await fill(customerId, owners);
          const range = { created_after: startOfTest + 2, created_before: startOfTest + 8 };

          const pages = await walk(customerId, {
            limit,
            ...(asked === 'failed' ? { status: 'failed' as const } : {}),
            ...(asked === 'range' ? range : {}),
          });

          const expected = deliveries.filter(
            ({ status }, number) =>
              (asked !== 'failed' || status === 'failed') &&
              (asked !== 'range' || (number >= 6 && number < 24)),
          );
          expect(idsOf(pages.flat())).toEqual(newestFirst(expected));
          expect(pages.slice(0, -1).every(({ length }) => length === limit || asked === 'failed')).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('are not all read for one page', async () => {
    const customerId = 'cus_rows';
    const owners = Array.from({ length: 300 }, (_, number) => number % 3);
    const deliveries = await fill(customerId, owners);

    current().takeReadRows();
    const page = await listOf()(customerId, { limit: 25 });

    expect(idsOf(page.rows)).toEqual(newestFirst(deliveries).slice(0, 25));
    expect(current().takeReadRows()).toBe(181);
  });

  it('leave out those of a deleted endpoint and of other customers', async () => {
    const deliveries = await fill('cus_left', [0, 1, 2, 0, 1, 2]);
    await fill('cus_left1', [0, 1, 2]);
    const deleted = webhookOf('cus_left', 2);

    await deleteEndpoint(current(), backoff)('cus_left', deleted, startOfTest);

    const left = deliveries.filter(({ webhookId }) => webhookId !== deleted);
    expect(idsOf((await walk('cus_left', { limit: 2 })).flat())).toEqual(newestFirst(left));
  });
});

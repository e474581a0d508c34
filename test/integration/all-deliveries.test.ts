import { describe, expect, it } from 'vitest';
import { deliveryListPorts } from '#shared/aws/delivery-list-ports.ts';
import { toDeliveryItem } from '#shared/aws/table/delivery-item.ts';
import { listLiveEndpoints } from '#shared/aws/table/endpoints.ts';
import { slotsKey } from '#shared/aws/table/keys.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { listAllDeliveries } from '#shared/operations/customer/list-all-deliveries.ts';
import { backoff, useTable } from '../support/aws/table.ts';
import { cursors } from '../support/operations/cursors.ts';
import { buildDelivery, buildEndpoint, startOfTest } from '../support/values/builders.ts';

const { current } = useTable();

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
  await current().putEndpoints(...endpoints);
  await current().putItems([
    { ...slotsKey(customerId), webhooks: new Set(endpoints.map(({ id }) => id)) },
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

const idsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id);
const newestFirst = (deliveries: readonly Delivery[]) => idsOf(deliveries).sort().reverse();

describe('the deliveries of all endpoints of a customer', () => {
  it('are not all read for one page, and are those of the asked times', async () => {
    const customerId = 'cus_rows';
    const owners = Array.from({ length: 300 }, (_, number) => number % 3);
    const deliveries = await fill(customerId, owners);

    current().takeReadRows();
    const page = await listOf()(customerId, { limit: 25 });

    expect(idsOf(page.rows)).toEqual(newestFirst(deliveries).slice(0, 25));
    expect(current().takeReadRows()).toBe(181);
    const range = { created_after: startOfTest + 2, created_before: startOfTest + 8 };
    const { rows } = await listOf()(customerId, { limit: 25, ...range });
    expect(idsOf(rows)).toEqual(newestFirst(deliveries.slice(6, 24)));
  });
});

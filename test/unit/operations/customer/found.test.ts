import { describe, expect, it } from 'vitest';
import { found } from '#shared/operations/customer/found.ts';
import { memoryDeliveries } from '../../../support/memory/memory-deliveries.ts';
import { memoryEndpoints } from '../../../support/memory/memory-endpoints.ts';
import { buildDelivery, buildEndpoint, customerId, webhookId } from '../../../support/values/builders.ts';

describe('found()', () => {
  it.each(['active', 'failed', 'deleted'] as const)('gives an endpoint that is %s', async (status) => {
    const endpoint = buildEndpoint({ status });
    const { readEndpoint } = memoryEndpoints(endpoint);

    expect(found(await readEndpoint(customerId, webhookId))).toEqual(endpoint);
  });

  it('answers not_found alike for a missing record and for one of another customer', async () => {
    const { readEndpoint } = memoryEndpoints(buildEndpoint({ customerId: 'cus_other' }));
    const read = async (id: string) => found(await readEndpoint(customerId, id));

    const failures = await Promise.all([
      read(webhookId).catch((error: unknown) => error),
      read('whe_none').catch((error: unknown) => error),
    ]);

    expect(failures[0]).toMatchObject({ code: 'not_found', status: 404 });
    expect(failures[0]).toEqual(failures[1]);
  });

  it('gives a delivery that was read by customer, endpoint and id together', async () => {
    const delivery = buildDelivery();

    expect(found(await memoryDeliveries(delivery).readDelivery(delivery))).toEqual(delivery);
  });

  it.each([{ customerId: 'cus_other' }, { webhookId: 'whe_other' }, { id: 'whd_other' }])(
    'answers not_found for a delivery with another %o',
    async (other) => {
      const delivery = buildDelivery();
      const { readDelivery } = memoryDeliveries(delivery);
      const read = async () => found(await readDelivery({ ...delivery, ...other }));

      await expect(read()).rejects.toMatchObject({ code: 'not_found' });
    },
  );
});

import { describe, expect, it } from 'vitest';
import { readDelivery } from '#shared/operations/customer/read-delivery.ts';
import { readWebhook } from '#shared/operations/customer/read-webhook.ts';
import { memoryDeliveries } from '../../../support/memory/memory-deliveries.ts';
import { memoryEndpoints } from '../../../support/memory/memory-endpoints.ts';
import { buildDelivery, buildEndpoint, customerId, webhookId } from '../../../support/values/builders.ts';

describe('readWebhook()', () => {
  it.each(['active', 'failed', 'deleted'] as const)('reads one that is %s', async (status) => {
    const endpoint = buildEndpoint({ status });

    await expect(readWebhook(memoryEndpoints(endpoint))(customerId, webhookId)).resolves.toEqual(endpoint);
  });

  it('answers not_found for one that is not there or is not yours, alike', async () => {
    const read = readWebhook(memoryEndpoints(buildEndpoint({ customerId: 'cus_other' })));

    const failures = await Promise.all([
      read(customerId, webhookId).catch((error: unknown) => error),
      read(customerId, 'whe_none').catch((error: unknown) => error),
    ]);

    expect(failures[0]).toMatchObject({ code: 'not_found' });
    expect(failures[0]).toEqual(failures[1]);
  });
});

describe('readDelivery()', () => {
  const delivery = buildDelivery();

  it('reads one by customer, endpoint and id together', async () => {
    await expect(readDelivery(memoryDeliveries(delivery))(delivery)).resolves.toEqual(delivery);
  });

  it.each([{ customerId: 'cus_other' }, { webhookId: 'whe_other' }, { id: 'whd_other' }])(
    'answers not_found for another %o',
    async (other) => {
      const read = readDelivery(memoryDeliveries(delivery));

      await expect(read({ ...delivery, ...other })).rejects.toMatchObject({ code: 'not_found' });
    },
  );
});

import { describe, expect, it } from 'vitest';
import { readDelivery } from '#shared/operations/customer/read-delivery.ts';
import { readWebhook } from '#shared/operations/customer/read-webhook.ts';
import { memoryStore } from '../../../support/memory/memory-store.ts';
import { buildDelivery, buildEndpoint, customerId, webhookId } from '../../../support/values/builders.ts';

describe('readWebhook()', () => {
  it.each([{ status: 'active' }, { status: 'failed' }, { status: 'deleted', secret: '' }] as const)(
    'reads one that is $status',
    async (given) => {
      const endpoint = buildEndpoint(given);

      await expect(
        readWebhook(memoryStore({ endpoints: [endpoint] }).ports)(customerId, webhookId),
      ).resolves.toEqual(endpoint);
    },
  );

  it('answers not_found for one that is not there or is not yours, alike', async () => {
    const read = readWebhook(memoryStore({ endpoints: [buildEndpoint({ customerId: 'cus_other' })] }).ports);

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
    await expect(readDelivery(memoryStore({ deliveries: [delivery] }).ports)(delivery)).resolves.toEqual(
      delivery,
    );
  });

  it.each([{ customerId: 'cus_other' }, { webhookId: 'whe_other' }, { id: 'whd_other' }])(
    'answers not_found for another %o',
    async (other) => {
      const read = readDelivery(memoryStore({ deliveries: [delivery] }).ports);

      await expect(read({ ...delivery, ...other })).rejects.toMatchObject({ code: 'not_found' });
    },
  );
});

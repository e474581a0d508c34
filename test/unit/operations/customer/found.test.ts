import { describe, expect, it } from 'vitest';
import { found } from '#shared/operations/customer/found.ts';
import { memoryStore } from '../../../support/memory/memory-store.ts';
import { buildDelivery, buildEndpoint, customerId, webhookId } from '../../../support/values/builders.ts';

describe('found()', () => {
  it.each(['active', 'failed', 'deleted'] as const)('returns an endpoint that is %s', async (status) => {
    const endpoint = buildEndpoint(status === 'deleted' ? { status, secret: '' } : { status });
    const { readEndpoint } = memoryStore({ endpoints: [endpoint] }).ports;

    expect(found(await readEndpoint(customerId, webhookId))).toEqual(endpoint);
  });

  it('answers not_found alike for a missing record and for one of another customer', async () => {
    const { readEndpoint } = memoryStore({ endpoints: [buildEndpoint({ customerId: 'cus_other' })] }).ports;
    const read = async (id: string) => found(await readEndpoint(customerId, id));

    const failures = await Promise.all([
      read(webhookId).catch((error: unknown) => error),
      read('whe_none').catch((error: unknown) => error),
    ]);

    expect(failures[0]).toMatchObject({ code: 'not_found', status: 404 });
    expect(failures[0]).toEqual(failures[1]);
  });

  it('returns a delivery with the requested customer, endpoint and id', async () => {
    const delivery = buildDelivery();

    expect(found(await memoryStore({ deliveries: [delivery] }).ports.readDelivery(delivery))).toEqual(
      delivery,
    );
  });

  it.each([{ customerId: 'cus_other' }, { webhookId: 'whe_other' }, { id: 'whd_other' }])(
    'answers not_found for a delivery with another %o',
    async (other) => {
      const delivery = buildDelivery();
      const { readDelivery } = memoryStore({ deliveries: [delivery] }).ports;
      const read = async () => found(await readDelivery({ ...delivery, ...other }));

      await expect(read()).rejects.toMatchObject({ code: 'not_found' });
    },
  );
});

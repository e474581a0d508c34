import { describe, expect, it } from 'vitest';
import { found } from '#shared/operations/customer/found.ts';
import { memoryStore } from '../../../support/memory/memory-store.ts';
import { buildEndpoint, customerId, webhookId } from '../../../support/values/builders.ts';

describe('found()', () => {
  it('answers not_found alike for a missing record and for one of another customer', async () => {
    const foreign = buildEndpoint({ customerId: 'cus_other' });
    const { readEndpoint } = memoryStore({ endpoints: [foreign] }).ports;
    const failureOf = (id: string) =>
      readEndpoint(customerId, id)
        .then(found)
        .catch((error: unknown) => error);

    const failure = await failureOf(webhookId);

    expect(failure).toMatchObject({ code: 'not_found', status: 404 });
    expect(await failureOf('whe_none')).toEqual(failure);
    expect(found(await readEndpoint('cus_other', webhookId))).toEqual(foreign);
  });
});

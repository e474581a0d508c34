import { describe, expect, it } from 'vitest';
import { spreadDeliveries } from '#shared/operations/operator/spread-deliveries.ts';
import { memoryStore } from '../../../support/memory/memory-store.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import { buildEndpoint, customerId, webhookId } from '../../../support/values/builders.ts';

describe('spreadDeliveries()', () => {
  it('raises the number of partitions', async () => {
    const { ports } = memoryStore({ endpoints: [buildEndpoint()] });
    const spread = spreadDeliveries(ports);

    await expect(spread(customerId, webhookId, 8)).resolves.toMatchObject({ deliveryPartitions: 8 });
    expect(await ports.readLiveEndpoint(customerId, webhookId)).toEqual(
      buildEndpoint({ deliveryPartitions: 8 }),
    );
  });

  it.each([0, -1, 1.5, 33, Number.NaN])('refuses %d partitions', async (partitions) => {
    const spread = spreadDeliveries({ raisePartitions: unexpected('raisePartitions') });

    await expect(spread(customerId, webhookId, partitions)).rejects.toThrow('from 1 to 32');
  });
});

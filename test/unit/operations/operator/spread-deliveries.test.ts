import { describe, expect, it } from 'vitest';
import { spreadDeliveries } from '#shared/operations/operator/spread-deliveries.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import { buildEndpoint, customerId, webhookId } from '../../../support/values/builders.ts';

describe('spreadDeliveries()', () => {
  it('raises the number of partitions', async () => {
    const raised: unknown[] = [];
    const spread = spreadDeliveries({
      raisePartitions: async (...args) => {
        raised.push(args);
        return buildEndpoint({ deliveryPartitions: 8 });
      },
    });

    await expect(spread(customerId, webhookId, 8)).resolves.toMatchObject({ deliveryPartitions: 8 });
    expect(raised).toEqual([[customerId, webhookId, 8]]);
  });

  it.each([0, -1, 1.5, 33, Number.NaN])('refuses %d partitions', async (partitions) => {
    const spread = spreadDeliveries({ raisePartitions: unexpected('raisePartitions') });

    await expect(spread(customerId, webhookId, partitions)).rejects.toThrow('from 1 to 32');
  });
});

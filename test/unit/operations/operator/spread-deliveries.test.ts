import { expect, it } from 'vitest';
import { spreadDeliveries } from '#shared/operations/operator/spread-deliveries.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import { customerId, webhookId } from '../../../support/values/builders.ts';

it.each([0, -1, 1.5, 33, Number.NaN])('spreadDeliveries() refuses %d partitions', async (partitions) => {
  const spread = spreadDeliveries({ raisePartitions: unexpected('raisePartitions') });

  await expect(spread(customerId, webhookId, partitions)).rejects.toThrow('from 1 to 32');
});

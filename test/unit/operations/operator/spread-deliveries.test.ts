import { expect, it } from 'vitest';
import { spreadDeliveries } from '#shared/operations/operator/spread-deliveries.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import { customerId, webhookId } from '../../../support/values/builders.ts';

it.each([0, -1, 1.5, 33, Number.NaN])('spreadDeliveries() refuses %d partitions', async (partitions) => {
  const { table } = recordStore({ asking: unexpected('the table') });

  await expect(spreadDeliveries(table, customerId, webhookId, partitions)).rejects.toThrow('from 1 to 32');
});

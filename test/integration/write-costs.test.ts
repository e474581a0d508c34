import { expect, it } from 'vitest';
import { reserveEndpoint } from '#shared/aws/table/endpoint-slots.ts';
import { noteLastDelivery } from '#shared/aws/table/endpoints.ts';
import { useTable } from '../support/aws/table.ts';
import { buildDelivery, buildEndpoint, startOfTest } from '../support/values/builders.ts';

const { current } = useTable();

// Rare, so test/budgets has no event that makes this write.
it('to note the last attempt of an endpoint costs one write unit', async () => {
  const endpoint = buildEndpoint();
  const backoff = { wait: async () => {}, random: () => 0 };
  const claim = { fencingToken: 'ours', leaseUntil: startOfTest + 30_000 };
  await reserveEndpoint(current(), backoff)(endpoint, buildDelivery({ attempts: 1, claim }));
  current().takeWriteUnits();

  await noteLastDelivery(current())(endpoint, startOfTest + 120_000);

  expect(current().takeWriteUnits()).toBe(1);
});

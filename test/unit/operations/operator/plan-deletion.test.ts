import { expect, it } from 'vitest';
import { planDeletion } from '#shared/operations/operator/plan-deletion.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import { buildDelivery, buildEndpoint, customerId } from '../../../support/values/builders.ts';

const live = buildEndpoint();
const deleted = buildEndpoint({ id: 'whe_gone', status: 'deleted' });

it.each([
  ['all deliveries', [live], { rows: 2, isExact: true }],
  ['no delivery of a deleted endpoint, and says that there may be some', [live, deleted], { rows: 2, isExact: false }],
])('planDeletion() counts %s', async (_, endpoints, deliveries) => {
  const { table, records } = recordStore({ endpoints, deliveries: [0, 1].map((index) => buildDelivery({}, index)) });
  records.addCustomer(customerId);
  const tableSize = async () => ({ bytes: 0, rows: 0 });

  const plan = await planDeletion({ table, tableSize })(customerId);

  expect(plan).toMatchObject({ endpoints: [live], deletedEndpoints: { rows: endpoints.length - 1 }, deliveries });
});

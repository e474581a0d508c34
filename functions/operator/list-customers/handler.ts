import { presentPage } from '#shared/contract/list-query.ts';
import { listCustomersRequest, presentCustomer } from '#shared/contract/records/customer.ts';
import { listCustomers } from '#shared/operations/operator/list-credentials.ts';
import { operatorOperation, table } from '../../wiring/operator-operation.ts';

export const handler = operatorOperation(listCustomersRequest, async ({ reference, limit, cursor = null }) => {
  const { rows, next } = await listCustomers(table, { after: cursor, limit }, reference);
  return presentPage({ rows, nextCursor: next }, presentCustomer);
});

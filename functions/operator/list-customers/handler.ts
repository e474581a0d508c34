import { findReference, readCustomer, readCustomerPage } from '#shared/aws/table/credentials/customers.ts';
import { presentPage } from '#shared/contract/list-query.ts';
import { listCustomersRequest, presentCustomer } from '#shared/contract/records/customer.ts';
import { listCustomers } from '#shared/operations/operator/list-credentials.ts';
import { operatorOperation, table } from '../../wiring/operator-operation.ts';

const list = listCustomers({
  readCustomer: readCustomer(table),
  findReference: findReference(table),
  readCustomerPage: readCustomerPage(table),
});

export const handler = operatorOperation(
  listCustomersRequest,
  async ({ reference, limit, cursor = null }) => {
    const { rows, next } = await list({ after: cursor, limit }, reference);
    return presentPage({ rows, nextCursor: next }, presentCustomer);
  },
);

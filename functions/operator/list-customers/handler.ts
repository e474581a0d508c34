import { connectServedTable } from '#shared/aws/clients.ts';
import { findReference, readCustomer, readCustomerPage } from '#shared/aws/table/credentials/customers.ts';
import { presentPage } from '#shared/contract/list-query.ts';
import { listCustomersRequest, presentCustomer } from '#shared/contract/records/customer.ts';
import { listCustomers } from '#shared/operations/operator/list-credentials.ts';
import { setting } from '#shared/runtime/environment.ts';
import { operatorCall } from '#shared/runtime/operator-call.ts';
import { now } from '#shared/runtime/system.ts';
import { report, withRequestId } from '#shared/runtime/telemetry.ts';

const table = connectServedTable(setting('tableName'), report, now);
const list = listCustomers({
  readCustomer: readCustomer(table),
  findReference: findReference(table),
  readCustomerPage: readCustomerPage(table),
});

export const handler = withRequestId(
  operatorCall(listCustomersRequest, async ({ reference, limit, cursor = null }) => {
    const { rows, next } = await list({ after: cursor, limit }, reference);
    return presentPage({ rows, nextCursor: next }, presentCustomer);
  }),
);

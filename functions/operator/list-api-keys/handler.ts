import { readApiKeyPage, readCustomer } from '#shared/aws/table/credentials/customers.ts';
import { presentPage } from '#shared/contract/list-query.ts';
import { listApiKeysRequest, presentApiKey } from '#shared/contract/records/customer.ts';
import { customerNotFound } from '#shared/runtime/operator-call.ts';
import { operatorOperation, table } from '../../wiring/operator-operation.ts';

export const handler = operatorOperation(
  listApiKeysRequest,
  async ({ customer_id: customerId, limit, cursor = null }) => {
    if ((await readCustomer(table, customerId)) === null) throw customerNotFound();
    const { rows, next } = await readApiKeyPage(table, customerId, { after: cursor, limit });
    return presentPage({ rows, nextCursor: next }, presentApiKey);
  },
);

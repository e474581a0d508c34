import { connectServedTable } from '#shared/aws/clients.ts';
import { readApiKeyPage, readCustomer } from '#shared/aws/table/credentials/customers.ts';
import { presentPage } from '#shared/contract/list-query.ts';
import { listApiKeysRequest, presentApiKey } from '#shared/contract/records/customer.ts';
import { setting } from '#shared/runtime/environment.ts';
import { customerNotFound, operatorCall } from '#shared/runtime/operator-call.ts';
import { now } from '#shared/runtime/system.ts';
import { report, withRequestId } from '#shared/runtime/telemetry.ts';

const table = connectServedTable(setting('tableName'), report, now);
const findCustomer = readCustomer(table);
const readPage = readApiKeyPage(table);

export const handler = withRequestId(
  operatorCall(listApiKeysRequest, async ({ customer_id: customerId, limit, cursor = null }) => {
    if ((await findCustomer(customerId)) === null) throw customerNotFound();
    const { rows, next } = await readPage(customerId, { after: cursor, limit });
    return presentPage({ rows, nextCursor: next }, presentApiKey);
  }),
);

import { listLiveEndpoints } from '#shared/aws/table/endpoints.ts';
import { listQuery } from '#shared/contract/list-query.ts';
import { listWebhooks } from '#shared/operations/customer/list-webhooks.ts';
import { now } from '#shared/runtime/system.ts';
import { parseQuery } from '#shared/runtime/validate.ts';
import { cursors } from '../../wiring/cursors.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const list = listWebhooks({ now, cursors, listLiveEndpoints: listLiveEndpoints(table) });

export const handler = customerOperation('listWebhooks', ({ customerId, query }) =>
  list(customerId, parseQuery(listQuery, query)),
);

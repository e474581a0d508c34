import { authenticate } from '#shared/auth/authenticate.ts';
import { limitRequests } from '#shared/auth/rate-limit.ts';
import type { Table } from '#shared/aws/clients.ts';
import { readAttemptTimes } from '#shared/aws/table/attempt-times.ts';
import { readCursorSecret } from '#shared/aws/table/cursor-secret.ts';
import { findApiKey } from '#shared/aws/table/customers.ts';
import { readDelivery } from '#shared/aws/table/deliveries.ts';
import { listLiveEndpoints, readEndpoint } from '#shared/aws/table/endpoints.ts';
import { admitRequest } from '#shared/aws/table/rate-windows.ts';
import { readRun } from '#shared/aws/table/runs.ts';
import { readTracker } from '#shared/aws/table/trackers.ts';
import { getWebhook } from '#shared/operations/customer/get-webhook.ts';
import { listWebhooks } from '#shared/operations/customer/list-webhooks.ts';
import { createCursors } from '#shared/runtime/cursors.ts';
import { randomBytes } from '#shared/runtime/system.ts';
import { apiKeyTextAt, deliveryIdAt, measured, runIdAt, timeAfterAll } from './records.ts';
import type { TableSize } from './sizes.ts';

/** One measured request; it throws if it does not find what it should. */
export type Request = () => Promise<void>;

const { customerId, webhookId, trackerId } = measured;

/** The requests that read one record, and the list of a customer's endpoints, which has at most five. */
export function singleReads(table: Table, { stored }: TableSize): Readonly<Record<string, Request>> {
  const middle = stored / 2;
  const cursors = createCursors({ readSecret: readCursorSecret(table, randomBytes), randomBytes });
  const times = { readAttemptTimes: readAttemptTimes(table) };
  const getEndpoint = getWebhook({ ...times, readEndpoint: readEndpoint(table) });
  const listEndpoints = listWebhooks({ ...times, cursors, listLiveEndpoints: listLiveEndpoints(table) });
  const firstPage = { limit: 25, cursor: undefined };
  const key = { customerId, webhookId, id: deliveryIdAt(middle) };
  return {
    'Check the API key, count the request': countRequest(table),
    'Get an endpoint': found(() => getEndpoint(customerId, webhookId)),
    'List endpoints': found(async () => (await listEndpoints(customerId, firstPage)).rows[0] ?? null),
    'Get a delivery': found(() => readDelivery(table)(key)),
    'Get a Run': found(() => readRun(table)(customerId, runIdAt(middle))),
    'Get a Tracker': found(() => readTracker(table)(customerId, trackerId)),
  };
}

function found(read: () => Promise<object | null>): Request {
  return async () => {
    if ((await read()) === null) throw new Error('Cannot measure: a record was not found');
  };
}

/** Milliseconds between two requests of a credential: far from its limit. */
const pace = 2_000;

/** Goes on from table to table, so that no window holds a time after it. */
let time = timeAfterAll;

/** Uses a key that no other measured request uses. */
function countRequest(table: Table): Request {
  const identify = authenticate({ findApiKey: findApiKey(table) });
  const limit = limitRequests({ now: () => time, randomBytes, admitRequest: admitRequest(table) });
  return async () => {
    time += pace;
    const { credentialId } = await identify(`Bearer ${apiKeyTextAt(0)}`);
    const { admitted } = await limit(credentialId);
    if (!admitted) throw new Error('Cannot measure: the request was refused');
  };
}

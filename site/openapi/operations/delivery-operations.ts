import { limits } from '#shared/contract/limits.ts';
import { listDeliveriesQuery, listQuery } from '#shared/contract/list-query.ts';
import { invalidRequest } from '#shared/contract/problem.ts';
import { bulkReplayPlanRecord, bulkReplayRecord, bulkReplayRequest } from '#shared/contract/records/bulk-replay.ts';
import { deliveryWithLogRecord } from '#shared/contract/records/delivery.ts';
import { exampleRequest } from '#shared/contract/records/example.ts';
import { webhookStatsQuery, webhookStatsRecord } from '#shared/contract/records/webhook-stats.ts';
import { exampleTypes } from '#shared/domain/event.ts';
import { activitySchemas } from '../schemas/activity-schemas.ts';
import { bulkReplaySchemas } from '../schemas/bulk-replay-schemas.ts';
import { deliveryReplay, deliverySchemas, sentExample } from '../schemas/delivery-schemas.ts';
import type { Operation } from './operation-details.ts';

export const deliveryOperations = {
  listDeliveries: {
    description:
      'Lists the deliveries of an endpoint, newest first, also of a deleted one. Use `status=failed` to find what to ' +
      'replay, `status=retrying` for what has failed so far, `event_id` or `run_id` to find single deliveries, and `created_after` and `created_before` for a range ' +
      'of times. Filters can be combined.',
    success: 'One page of deliveries.',
    query: listDeliveriesQuery,
    response: deliverySchemas.DeliveryList.schema,
  },
  listAllDeliveries: {
    description:
      'Lists the deliveries of all endpoints that the customer holds, newest first; each names its endpoint in ' +
      '`webhook_id`. Deliveries of deleted endpoints are left out: list them by their endpoint. The filters are those ' +
      'of the list of one endpoint.',
    success: 'One page of deliveries.',
    query: listDeliveriesQuery,
    response: deliverySchemas.EndpointDeliveryList.schema,
  },
  getWebhookStats: {
    description:
      'Reads how the deliveries of an endpoint went over an hour, a day or a week, also of a deleted one. Replays are ' +
      'counted apart. A delivery of the last second may be missing.\n\n' +
      'To watch an endpoint, compare `delivered_share` with what you expect. During the first hour of an outage, ' +
      'deliveries have attempts left and are `pending`: look at `failed_attempts`, which counts every attempt.\n\n' +
      'About 480 deliveries are read for one request of your limit. A window with more counts as up to four requests, ' +
      'and above about 1,500 deliveries its numbers are estimates: `sampled` says so.',
    success: 'The figures.',
    query: webhookStatsQuery,
    response: webhookStatsRecord,
  },
  getDelivery: {
    description:
      'Reads one delivery and the log of its attempts: when each began, how long each phase took, and why it failed.',
    success: 'The delivery with its attempts.',
    response: deliveryWithLogRecord,
  },
  replayDelivery: {
    description:
      'Queues a new delivery of the same event: same event id, same body, new delivery id. The replayed delivery does ' +
      'not change. The new one is attempted like any other, up to three times. Replay a `webhook.test` delivery to ' +
      'send a test event to an active endpoint.\n\nWithout an `Idempotency-Key`, each request queues a delivery. ' +
      'Receivers detect the duplicates by the event id.',
    success: 'The new delivery, which is queued.',
    response: deliveryReplay,
  },
  sendExample: {
    description:
      'Sends one endpoint a `webhook.test` event whose member `example` is the body of the chosen type, exactly as a real ' +
      'event has it. Nothing happened: the ids are new and belong to nothing, so the links of the example answer 404, and ' +
      'its charge is 0. The delivery is signed, attempted up to three times and can be replayed, like any other. Its ' +
      'result does not change the `status` of the endpoint.\n\nWithout an `Idempotency-Key`, each request sends another event.',
    success: 'The new delivery, which is queued.',
    body: exampleRequest,
    fault: invalidRequest('/type', `\`type\` must be one of ${exampleTypes.map((type) => `\`${type}\``).join(', ')}`),
    response: sentExample,
  },
  createBulkReplay: {
    description:
      'Starts a job that replays deliveries of a time range, oldest first, as single replays do: same event id, same ' +
      `body, new delivery id. It sends \`rate\` replays per second (default ${limits.replayRateDefault}, at most ` +
      `${limits.replayRateMax}), runs in the background, and counts as one request of your limit. Read it to follow its ` +
      'progress.\n\n' +
      'A job sends each event at most once. Events that have a replay which was delivered or is pending are left out, and ' +
      'so are test events and pending deliveries. So the same request can be sent again once the job has ended. An event ' +
      'whose replays have all failed is then sent once more. An endpoint has one bulk replay at a time.\n\n' +
      'Narrow it down with `event_type`, `response` and `delivery_ids`. With `source_webhook_id`, it sends the events of ' +
      'another endpoint of the customer, such as one that was deleted, and leaves out those that this one was sent ' +
      'itself. Members that it does not know are refused.',
    success: 'The bulk replay, which is running.',
    body: bulkReplayRequest,
    fault: invalidRequest('/created_after', '`created_after` must be in the past'),
    response: bulkReplayRecord,
  },
  planBulkReplay: {
    description:
      'Counts the deliveries that a bulk replay with the same request would send now. Nothing is sent or stored.\n\n' +
      `A plan counts as one request of your limit for each ${limits.planReadsPerRequest} deliveries that it reads in the ` +
      `time range, whatever their status, and as ${limits.planRequests} at most. It ends there, or when your limit is ` +
      'reached: `complete` is then `false`, and the numbers are lower bounds.',
    success: 'The plan.',
    body: bulkReplayRequest,
    fault: invalidRequest('/created_after', '`created_after` must be in the past'),
    response: bulkReplayPlanRecord,
  },
  listActivity: {
    description:
      'Lists what was done to an endpoint in the last 90 days, newest first, also of a deleted one: who registered it, ' +
      'rotated its secret, deleted it, sent deliveries again or asked for an example, with which credential. What began ' +
      'before the upgrade of the service to version 0.3.0 is not there.',
    success: 'One page of activity.',
    query: listQuery,
    response: activitySchemas.ActivityList.schema,
  },
  listBulkReplays: {
    description: 'Lists the bulk replays of an endpoint, newest first, also of a deleted one.',
    success: 'One page of bulk replays.',
    query: listQuery,
    response: bulkReplaySchemas.BulkReplayList.schema,
  },
  getBulkReplay: {
    description:
      'Reads one bulk replay. `replayed` grows while it runs, and `outcomes` says how the new deliveries went: `completed` ' +
      'only says that all were sent. To see what a delivery became, list the deliveries of its event with `event_id`.',
    success: 'The bulk replay.',
    response: bulkReplayRecord,
  },
  cancelBulkReplay: {
    description:
      'Stops a bulk replay. Replays of the next ten seconds may be queued already, and are sent. A bulk replay that has ' +
      'ended stays as it is. To go on later, start another one with the same time range.',
    success: 'The bulk replay, which has ended.',
    response: bulkReplayRecord,
  },
} as const satisfies Readonly<Record<string, Operation>>;

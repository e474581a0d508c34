import { limits } from '#shared/contract/limits.ts';
import type { OperationName } from '#shared/contract/routes.ts';
import { attemptTimeout } from '#shared/domain/retry-plan.ts';

/** Markdown. */
type OperationText = {
  readonly description: string;
  /** What a successful response contains. */
  readonly success: string;
};

const timeoutSeconds = attemptTimeout / 1000;

const paging =
  'Each page has `items` and `next_cursor`. To read the next page, send `next_cursor` as `cursor`, with the same ' +
  'filters. Stop when `next_cursor` is `null`, not when a page is short: a page can be empty and have a next one. ' +
  'Records that are created while you read do not move the pages that follow.';

export const operationTexts: Readonly<Record<OperationName, OperationText>> = {
  registerWebhook: {
    description:
      'Registers a URL and sends it a `webhook.test` event before it responds. If the URL answers with 2xx within ' +
      `${timeoutSeconds} seconds, the endpoint is \`active\` and receives every event of the customer from now on. ` +
      'After any other outcome it is `failed`: it receives nothing and holds a slot until you delete it.\n\n' +
      'The response is 201 in both cases, so read `webhook.status`; `test_delivery.error` says what went wrong. The ' +
      'test event arrives before you know the secret: respond with 2xx to a `webhook.test` that you cannot verify, and ' +
      'do nothing else.\n\n' +
      'Store `secret` now: no later response contains it.',
    success: 'The endpoint, `active` or `failed`, with its secret and the delivery of its test event.',
  },
  listWebhooks: {
    description: `Lists the endpoints of the customer, without deleted ones, newest first. ${paging}`,
    success: 'One page of endpoints.',
  },
  getWebhook: {
    description:
      'Reads one endpoint. A deleted endpoint stays readable, with the status `deleted`. No response contains the ' +
      'secret; `secret_prefix` tells which one is in use.',
    success: 'The endpoint.',
  },
  deleteWebhook: {
    description:
      'Deletes an endpoint, `active` or `failed`, and frees its slot. No POST to the endpoint begins after this ' +
      'response; its pending deliveries end as `failed`. Its deliveries stay readable. A deleted endpoint cannot be ' +
      'restored: register the URL again, and get a new id and a new secret.',
    success: 'The endpoint is deleted. The response has no body.',
  },
  rotateSecret: {
    description:
      'Creates a new signing secret. For 24 hours the old secret stays valid, and every delivery is signed with both, ' +
      'so that you can change your receiver without losing an event. There is no way to end the overlap early or to ' +
      'rotate again before it ends.\n\nStore `secret` now: no later response contains it.',
    success: 'The endpoint and its new secret.',
  },
  listDeliveries: {
    description:
      'Lists the deliveries of an endpoint, newest first, also of a deleted one. Use `status=failed` to find what to ' +
      'replay, `event_id` or `run_id` to find single deliveries, and `created_after` and `created_before` for a range ' +
      `of times. Filters can be combined. ${paging}`,
    success: 'One page of deliveries.',
  },
  listAllDeliveries: {
    description:
      'Lists the deliveries of all endpoints that the customer holds, newest first; each names its endpoint in ' +
      '`webhook_id`. Deliveries of deleted endpoints are left out: list them by their endpoint. The filters are those ' +
      `of the list of one endpoint. ${paging}`,
    success: 'One page of deliveries.',
  },
  getDelivery: {
    description:
      'Reads one delivery and the log of its attempts: when each began, how long each phase took, and why it failed.',
    success: 'The delivery with its attempts.',
  },
  replayDelivery: {
    description:
      'Queues a new delivery of the same event: same event id, same body, new delivery id. The replayed delivery does ' +
      'not change. The new one is attempted like any other, up to three times. Replay a `webhook.test` delivery to ' +
      'send a test event to an active endpoint.\n\nThis request is not idempotent: each one queues a delivery. ' +
      'Receivers detect the duplicates by the event id.',
    success: 'The new delivery, which is queued.',
  },
  createBulkReplay: {
    description:
      'Starts a job that replays every delivery of a time range, oldest first, as single replays do: same event id, same ' +
      `body, new delivery id. It sends \`rate\` replays per second (default ${limits.replayRateDefault}, at most ` +
      `${limits.replayRateMax}), runs in the background, and counts as one request of your limit. Read it to follow its ` +
      'progress.\n\n' +
      'Deliveries that have a replay already, test events and pending deliveries are left out. So the same request can be ' +
      'sent again once the job has ended: no delivery is replayed twice. A replay that fails is itself a failed ' +
      'delivery, which a later job with a later time range takes. An endpoint has one bulk replay at a time.',
    success: 'The bulk replay, which is running.',
  },
  planBulkReplay: {
    description:
      'Counts the deliveries that a bulk replay with the same request would send now. Nothing is sent or stored.\n\n' +
      `A plan counts as one request of your limit for each ${limits.planReadsPerRequest} deliveries that it reads in the ` +
      `time range, whatever their status, and as ${limits.planRequests} at most. It ends there, or when your limit is ` +
      'reached: `complete` is then `false`, and the numbers are lower bounds.',
    success: 'The plan.',
  },
  listBulkReplays: {
    description: `Lists the bulk replays of an endpoint, newest first, also of a deleted one. ${paging}`,
    success: 'One page of bulk replays.',
  },
  getBulkReplay: {
    description:
      'Reads one bulk replay. `replayed` grows while it runs. To see what a delivery became, list the deliveries of its ' +
      'event with `event_id`.',
    success: 'The bulk replay.',
  },
  cancelBulkReplay: {
    description:
      'Stops a bulk replay. Replays of the next ten seconds may be queued already, and are sent. A bulk replay that has ' +
      'ended stays as it is. To go on later, start another one with the same time range.',
    success: 'The bulk replay, which has ended.',
  },
  listRuns: {
    description: `Lists the Runs of the customer in every status, newest first. ${paging}`,
    success: 'One page of Runs.',
  },
  getRun: {
    description:
      'Reads one Run. Its status is final once it is `completed`, `partial` or `failed`. The event `run.completed` ' +
      'tells you when that happens, so that you need not poll.',
    success: 'The Run.',
  },
  listRunItems: {
    description:
      'Lists the items of a Run, newest first, once the Run is `completed` or `partial`. Reading is free, and reading ' +
      `again is too. ${paging}`,
    success: 'One page of videos.',
  },
  getTracker: { description: 'Reads one Tracker.', success: 'The Tracker.' },
  listChangeReports: {
    description: `Lists the Change Reports of a Tracker, newest first. ${paging}`,
    success: 'One page of Change Reports.',
  },
  listCreatorVideos: {
    description:
      'Lists the stored videos of a creator, newest first. Reading is free and starts no Run. A creator of whom ' +
      `nothing was stored for this customer is \`not_found\`. ${paging}`,
    success: 'One page of videos.',
  },
  getCredential: {
    description:
      'Reads who the credential of this request acts for, and when it ends. The console shows both. It is one request ' +
      'of the limit, like every other.',
    success: 'The caller.',
  },
  getProblemPage: {
    description:
      'The page about a problem code, for people. The `type` of every problem document links to it.',
    success: 'The page, as HTML.',
  },
};

/** Texts of the sections of the document. */
export const tagTexts = {
  Webhooks: 'Register, read and delete endpoints, and rotate their secrets.',
  Deliveries: 'Find out what happened to an event, and send it again.',
  Results: 'Read the Runs, Trackers and videos that events link to.',
  Credentials: 'Who requests act for.',
  Documentation: 'Pages for people.',
  Events: 'The requests that your endpoint receives.',
} as const;

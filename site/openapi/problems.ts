import {
  invalidRequest,
  Problem,
  type ProblemDetails,
  problem,
  problemDocument,
} from '#shared/contract/problem.ts';
import { engineCodes, type ProblemCode, problemCodes } from '#shared/contract/problem-codes.ts';

/** A page of the documentation: `docs/pages/<name>.md`. */
type HelpPage =
  | 'events'
  | 'first-event'
  | 'paging-and-limits'
  | 'receive-and-verify'
  | 'retries-and-replay'
  | 'troubleshooting';

/** Sentences with periods; backticks mark code, and there is no other markup. */
type Text = {
  /** What happened. */
  readonly meaning: string;
  /** Whether and when to retry: the first word is `Yes` or `No`. */
  readonly retry: string;
  /** How to fix it, as instructions. In the table below, what helps beyond the remedy of the code. */
  readonly fix?: string;
  readonly see?: readonly HelpPage[];
};

/** One occurrence of a code. Without it, the page shows the code with its usual `detail`. */
type Example<C extends ProblemCode> =
  Record<never, never> extends ProblemDetails<C>
    ? { readonly example?: Problem }
    : { readonly example: Problem };

/** The request id in the examples. */
const exampleInstance = '4d7e1c0a-93b5-4f0e-8a57-2f6b1f0c9d34';

/** What the published page of a code says. */
export type ProblemText = ReturnType<typeof problemText>;

/**
 * What is published about a code, with an example as the API writes it.
 *
 * @param docsUrl where problem types are documented, without a trailing slash; part of the example
 */
export function problemText(code: ProblemCode, docsUrl: string) {
  const definition = problemCodes[code];
  const { example = new Problem(code, {}), meaning, retry, fix, see = [] } = texts[code];
  const instance = engineCodes.has(code) ? undefined : exampleInstance;
  return {
    code,
    ...definition,
    meaning,
    retry,
    fix: fix === undefined ? definition.remedy : `${definition.remedy} ${fix}`,
    see,
    example: problemDocument(example, docsUrl, instance),
  };
}

const texts: { readonly [C in ProblemCode]: Text & Example<C> } = {
  missing_authorization: {
    meaning: 'The request has no bearer credential.',
    retry: 'Yes, with the header. The request did nothing and was not counted against a limit.',
    fix: 'The word `Bearer` and one space come before the key. Send exactly one `Authorization` header, and check that no proxy or redirect removes it.',
    see: ['first-event'],
  },
  invalid_key: {
    meaning: 'The bearer credential is not an API key of this service.',
    retry: 'No. The same key fails again.',
    fix: 'A key starts with `key_` and is easily cut off when copied. A key of a test deployment does not work in production. If the key is lost, ask the operator of the service for another one.',
    see: ['first-event'],
  },
  key_revoked: {
    meaning: 'The API key was revoked.',
    retry: 'No. A revoked key never works again.',
    fix: 'Replace it in every place that uses it. Ask the operator of the service for a key if you have none.',
  },
  portal_link_ended: {
    meaning: 'The credential of a portal link was sent after its end, or after it was revoked.',
    retry: 'No. A portal link never works again after its end.',
    fix: 'You can also sign in to the console with an API key. A program that needs lasting access uses an API key.',
  },
  invalid_token: {
    meaning: 'The access token is malformed, has expired, or was issued for another service.',
    retry: 'Yes, once, with a refreshed access token.',
    fix: 'If the new token fails too, check that it was issued for this service (its audience) and that it has not expired by the time it arrives.',
  },
  connection_revoked: {
    meaning:
      'The access token is valid, but its connection was revoked: the user withdrew consent, or the client was disabled.',
    retry: 'No. Refreshing the access token does not help either.',
    fix: 'Until then, stop sending requests for this connection.',
  },
  organization_not_selected: {
    meaning:
      'The connection was authorized without an organization, so the request has no balance to act on.',
    retry: 'No. Every request of this connection fails in the same way.',
  },
  organization_access_revoked: {
    meaning: 'The user of this access token left the organization that the token acts for.',
    retry: 'No. Every request of this connection fails until the user has access again.',
  },
  portal_link_read_only: {
    meaning:
      'The operation changes something, and the credential is that of a portal link that can only read.',
    retry:
      'No. The link can only read until it ends. The request changed nothing and was not counted against a limit.',
  },
  invalid_request: {
    meaning: 'The request does not match the operation. `errors`, when present, lists each fault.',
    retry: 'No. The same request fails in the same way.',
    fix: 'Read `detail`, and `errors` if there is more than one fault: `pointer` names the faulty part (`/url` is the member `url` of the body, `?limit` is the query parameter `limit`, an empty pointer is the whole body).',
    see: ['troubleshooting', 'paging-and-limits', 'first-event'],
    example: invalidRequest('?limit', '`limit` must be a whole number from 1 to 100'),
  },
  unsupported_platform: {
    meaning: 'This operation does not cover the platform in the path.',
    retry: 'No. The platform stays unsupported until the service announces it.',
    fix: 'The supported ones are in `detail`, in lower case.',
    example: problem('unsupported_platform', {
      detail: 'Use a supported platform: tiktok, instagram, youtube',
    }),
  },
  unsupported_kind: {
    meaning:
      'The request is valid, but the service does not support this kind yet. Nothing was created or charged.',
    retry: 'No. The kind stays unsupported until the service announces it.',
  },
  not_found: {
    meaning: 'The resource does not exist or belongs to another customer, or the path or method is unknown.',
    retry: 'No, unless the resource is about to be created, such as a Run that was started a moment ago.',
    fix: 'Check that the key belongs to the customer who owns the resource: the resources of other customers answer `not_found` too. A deleted endpoint can be read, but not rotated or deleted again.',
    see: ['troubleshooting'],
  },
  idempotency_conflict: {
    meaning:
      'The `Idempotency-Key` was used before with a different payload. `run_id` is the Run of the first request.',
    retry: 'No. The key belongs to another request.',
    fix: 'Use the same one only to repeat the identical request. `run_id` is the Run that the key belongs to.',
    example: problem('idempotency_conflict', { run_id: 'run_01KB3NPX5G7H9J1K3M5N7P9Q1R' }),
  },
  idempotency_key_reused: {
    meaning: 'The `Idempotency-Key` stands for another request of the last 24 hours.',
    retry: 'No. Under this key, every other request fails in the same way for 24 hours.',
    fix: 'Make a new key, such as a UUID, for each thing that you want done, and keep it until you have the answer. Two requests are the same if operation, path and body are.',
  },
  idempotency_in_progress: {
    meaning: 'Another request with the same `Idempotency-Key` is under way.',
    retry:
      'Yes, with the same key, after the number of seconds in `Retry-After`. You get the answer of the first request.',
    example: problem('idempotency_in_progress', { retryAfter: 5 }),
  },
  run_not_ready: {
    meaning: 'The Run has not settled yet, or it failed and has no results.',
    retry:
      'Yes, once the Run is `completed` or `partial`. No, when the Run is `failed`: nothing can be read from it.',
    fix: 'You can also wait for the event `run.completed`. When the status is `failed`, `error` of the Run says why.',
    see: ['events'],
  },
  insufficient_balance: {
    meaning:
      'The balance does not cover the price: `required_usd` is needed, `balance_usd` is available. On an item of a partial Run: the balance ran out before this item.',
    retry: 'Yes, after you have added funds.',
    fix: 'Add at least the difference between `required_usd` and `balance_usd`. Items of a partial Run that came before this one were delivered and charged.',
    example: problem('insufficient_balance', { balance_usd: 0.4, required_usd: 1.25 }),
  },
  rate_limit_exceeded: {
    meaning:
      'The credential has reached its limit of requests per minute. `limit` is the number of requests.',
    retry: 'Yes, after the number of seconds in the header `Retry-After`.',
    fix: 'To stay below the limit, read `RateLimit` in every answer, and prefer events to polling. Requests above the limit are refused and do not count.',
    see: ['paging-and-limits'],
    example: problem('rate_limit_exceeded', { limit: 60, retryAfter: 17 }),
  },
  concurrency_limit_exceeded: {
    meaning: 'The customer has reached the limit of unfinished Runs.',
    retry: 'Yes, after the number of seconds in the header `Retry-After`.',
    fix: 'The next Run can start once one of yours has settled.',
    example: problem('concurrency_limit_exceeded', { retryAfter: 30 }),
  },
  tracker_limit_exceeded: {
    meaning: 'The customer has reached the limit of Trackers.',
    retry: 'No. Waiting does not free a place.',
  },
  webhook_limit_exceeded: {
    meaning: 'The customer already has five endpoints. Failed endpoints count.',
    retry: 'No. Waiting does not free a slot.',
    fix: 'List the endpoints with `GET /v1/webhooks`, and delete one that you do not need with `DELETE /v1/webhooks/{id}`.',
    see: ['troubleshooting'],
    example: problem('webhook_limit_exceeded', { limit: 5 }),
  },
  webhook_rotation_in_progress: {
    meaning:
      'The overlap of the previous rotation is still open: both secrets are valid until `overlap_expires_at`.',
    retry: 'Yes, after the time in `overlap_expires_at`.',
    fix: 'If you lost the secret of the last rotation, delete the endpoint and register the URL again.',
    see: ['receive-and-verify'],
    example: problem('webhook_rotation_in_progress', {
      overlap_expires_at: '2026-11-21T10:00:00.000Z',
    }),
  },
  webhook_not_active: {
    meaning: 'The operation needs an active endpoint. This endpoint failed its handshake or was deleted.',
    retry: 'No. A failed or deleted endpoint never becomes active.',
    fix: 'Read the endpoint with `GET /v1/webhooks/{id}`. If its status is `failed`, its handshake was not answered with 2xx: the `webhook.test` event comes before you know the signing secret, so answer it with 2xx without verifying it. The attempt log of the test delivery shows the reason: fix the receiver before you register the URL. Later, you can test an active endpoint at any time: replay its `webhook.test` delivery.',
    see: ['first-event', 'troubleshooting'],
  },
  delivery_in_progress: {
    meaning: 'The service is still attempting the delivery, so it cannot be replayed yet.',
    retry: 'Yes, once the status of the delivery is `delivered` or `failed`.',
    fix: 'Three failed attempts take about one hour. The service goes on by itself: you need a replay only after the delivery has failed.',
    see: ['retries-and-replay'],
  },
  replay_in_progress: {
    meaning:
      'A bulk replay of this endpoint is running. An endpoint has one at a time; `replay_id` names it.',
    retry: 'Yes, once the status of the running bulk replay is `completed` or `cancelled`.',
    fix: 'Read it with `GET /v1/webhooks/{id}/replays/{replayId}`. No delivery is taken by two bulk replays, so the time ranges may overlap.',
    see: ['retries-and-replay'],
    example: problem('replay_in_progress', { replay_id: 'rpl_01KB3NPX5G7H9J1K3M5N7P9Q1R' }),
  },
  media_unavailable: {
    meaning: 'The media could not be fetched: it was deleted, is private, or the platform refused access.',
    retry: 'No. The video was deleted, is private or is refused by its platform.',
    fix: 'Skip the video. The other items of the Run are not affected.',
    example: problem('media_unavailable', { detail: 'The video was deleted' }),
  },
  vendor_error: {
    meaning: 'An upstream source of the Run failed. The Run was not charged.',
    retry:
      'Yes, with exponential backoff: wait 1 second, then 2, 4 and so on, with some randomness. The Run was not charged.',
    fix: 'If it keeps failing for an hour, contact the operator of the service.',
    example: problem('vendor_error', { detail: 'The platform did not answer in time' }),
  },
  internal_error: {
    meaning: 'The service failed. The request itself may be correct.',
    retry:
      'Yes, with exponential backoff: wait 1 second, then 2, 4 and so on, with some randomness. Before you register an endpoint or replay a delivery again, list what exists: the first request may have succeeded.',
    fix: 'If it keeps failing, contact the operator of the service. `instance` is the id of the request.',
  },
};

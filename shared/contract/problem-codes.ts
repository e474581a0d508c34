/**
 * The catalogue of failures, one entry per stable code. Constructors, gateway responses, documentation pages and OpenAPI
 * all derive from it. Codes are never renamed.
 *
 * `remedy` tells the caller what to do next; it is also the `detail` of a 4xx problem that has no more specific one. What
 * else the published page of a code says is in `tools/docs/problems.ts`.
 */
export type ProblemDefinition = {
  readonly status: number;
  readonly title: string;
  readonly remedy: string;
  /** `engine`: found only inside a stored Run; no endpoint of this service raises it. */
  readonly raisedBy: 'api' | 'engine';
};

export const problemCodes = {
  missing_authorization: {
    status: 401,
    title: 'Authorization is missing',
    remedy: 'Send the header `Authorization: Bearer key_…` with your API key or access token.',
    raisedBy: 'api',
  },
  invalid_key: {
    status: 401,
    title: 'API key is not recognised',
    remedy: 'Check that you sent the whole API key and that it was issued for this deployment.',
    raisedBy: 'api',
  },
  key_revoked: {
    status: 401,
    title: 'API key was revoked',
    remedy: 'Use another API key. A revoked key never works again.',
    raisedBy: 'api',
  },
  portal_link_ended: {
    status: 401,
    title: 'Portal link has ended',
    remedy: 'Ask for a new link where you got this one.',
    raisedBy: 'api',
  },
  invalid_token: {
    status: 401,
    title: 'Access token is not valid',
    remedy: 'Refresh the access token and retry once.',
    raisedBy: 'api',
  },
  connection_revoked: {
    status: 401,
    title: 'Connection was revoked',
    remedy: 'Ask the user to connect again. Retrying does not help.',
    raisedBy: 'api',
  },
  organization_not_selected: {
    status: 403,
    title: 'No organization is selected',
    remedy: 'Authorize the connection again and select an organization.',
    raisedBy: 'api',
  },
  organization_access_revoked: {
    status: 403,
    title: 'Access to the organization was revoked',
    remedy: 'Ask an administrator of the organization for access, or connect as another user.',
    raisedBy: 'api',
  },
  invalid_request: {
    status: 400,
    title: 'Request is not valid',
    remedy: 'Correct the request. Sending it again unchanged fails the same way.',
    raisedBy: 'api',
  },
  unsupported_platform: {
    status: 400,
    title: 'Platform is not supported',
    remedy: 'Use a supported platform.',
    raisedBy: 'api',
  },
  unsupported_kind: {
    status: 422,
    title: 'Kind is not supported yet',
    remedy: 'Choose another kind.',
    raisedBy: 'engine',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    remedy: 'Check the method, the path and every identifier in it.',
    raisedBy: 'api',
  },
  idempotency_conflict: {
    status: 409,
    title: 'Idempotency key is taken',
    remedy: 'Use a new `Idempotency-Key` for new work.',
    raisedBy: 'engine',
  },
  run_not_ready: {
    status: 409,
    title: 'Run results are not ready',
    remedy: 'While the Run is in progress, poll it until its status is `completed` or `partial`.',
    raisedBy: 'api',
  },
  insufficient_balance: {
    status: 402,
    title: 'Balance is too low',
    remedy: 'Add funds, then start the work again.',
    raisedBy: 'engine',
  },
  rate_limit_exceeded: {
    status: 429,
    title: 'Too many requests',
    remedy: 'Wait the number of seconds in `Retry-After`, then retry.',
    raisedBy: 'api',
  },
  concurrency_limit_exceeded: {
    status: 429,
    title: 'Too many Runs in flight',
    remedy: 'Wait the number of seconds in `Retry-After`, then retry.',
    raisedBy: 'engine',
  },
  tracker_limit_exceeded: {
    status: 409,
    title: 'Tracker limit is reached',
    remedy: 'Delete a Tracker, then retry.',
    raisedBy: 'engine',
  },
  webhook_limit_exceeded: {
    status: 409,
    title: 'Webhook limit is reached',
    remedy:
      'Delete an endpoint, then register again. Endpoints whose status is `failed` receive nothing and hold a slot until you delete them.',
    raisedBy: 'api',
  },
  webhook_rotation_in_progress: {
    status: 409,
    title: 'Rotation is in progress',
    remedy: 'Wait until `overlap_expires_at`, then rotate again.',
    raisedBy: 'api',
  },
  webhook_not_active: {
    status: 409,
    title: 'Webhook is not active',
    remedy: 'Register the URL again, and delete this endpoint if its status is `failed`: it holds a slot.',
    raisedBy: 'api',
  },
  delivery_in_progress: {
    status: 409,
    title: 'Delivery is in progress',
    remedy:
      'Wait until the status of the delivery is `delivered` or `failed`, then replay it. `next_attempt_at` says when it is attempted next.',
    raisedBy: 'api',
  },
  replay_in_progress: {
    status: 409,
    title: 'Bulk replay is in progress',
    remedy: 'Wait until the bulk replay in `replay_id` has ended, or cancel it, then start another one.',
    raisedBy: 'api',
  },
  media_unavailable: {
    status: 502,
    title: 'Media is not available',
    remedy: 'Do not retry: the video itself is unavailable.',
    raisedBy: 'engine',
  },
  vendor_error: {
    status: 502,
    title: 'Upstream source failed',
    remedy: 'Retry with exponential backoff.',
    raisedBy: 'engine',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    remedy: 'Retry with exponential backoff; quote `instance` when you contact support.',
    raisedBy: 'api',
  },
} as const satisfies Record<string, ProblemDefinition>;

export type ProblemCode = keyof typeof problemCodes;

/** One fault of a request: a JSON Pointer into the body, or `?name` for a query parameter. */
export type RequestFault = { readonly pointer: string; readonly detail: string };

/** Seconds of the `Retry-After` header, for codes with status 429. */
type RetryAfter = { readonly retryAfter: number };

/** What a failure of a code has beyond the five members of every problem document. */
export type ExtraMembers = {
  concurrency_limit_exceeded: RetryAfter;
  invalid_request: { readonly errors?: readonly RequestFault[] };
  insufficient_balance: { readonly balance_usd: number; readonly required_usd: number };
  idempotency_conflict: { readonly run_id: string };
  rate_limit_exceeded: { readonly limit: number } & RetryAfter;
  replay_in_progress: { readonly replay_id?: string };
  webhook_limit_exceeded: { readonly limit: number };
  webhook_rotation_in_progress: { readonly overlap_expires_at: string };
};

export const problemCodeNames = Object.keys(problemCodes).filter(isProblemCode);

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problemCodes, text);
}

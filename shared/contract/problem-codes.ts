/**
 * The catalogue of failures, one entry per stable code. Constructors, gateway responses, documentation pages and OpenAPI
 * all derive from it. Codes are never renamed.
 *
 * `remedy` tells the caller what to do next; it is also the `detail` of a 4xx problem that has no more specific one. What
 * else the published page of a code says is in `site/openapi/problems.ts`.
 */
export type ProblemDefinition = {
  readonly status: number;
  readonly title: string;
  readonly remedy: string;
};

export const problemCodes = {
  missing_authorization: {
    status: 401,
    title: 'Authorization is missing',
    remedy: 'Send the header `Authorization: Bearer key_…` with your API key or access token.',
  },
  invalid_key: {
    status: 401,
    title: 'API key is not recognised',
    remedy: 'Check that you sent the whole API key and that it was issued for this deployment.',
  },
  key_revoked: {
    status: 401,
    title: 'API key was revoked',
    remedy: 'Use another API key. A revoked key never works again.',
  },
  portal_link_ended: {
    status: 401,
    title: 'Portal link has ended',
    remedy: 'Ask for a new link where you got this one.',
  },
  invalid_token: {
    status: 401,
    title: 'Access token is not valid',
    remedy: 'Refresh the access token and retry once.',
  },
  connection_revoked: {
    status: 401,
    title: 'Connection was revoked',
    remedy: 'Ask the user to connect again. Retrying does not help.',
  },
  organization_not_selected: {
    status: 403,
    title: 'No organization is selected',
    remedy: 'Authorize the connection again and select an organization.',
  },
  organization_access_revoked: {
    status: 403,
    title: 'Access to the organization was revoked',
    remedy: 'Ask an administrator of the organization for access, or connect as another user.',
  },
  portal_link_read_only: {
    status: 403,
    title: 'Portal link can only read',
    remedy: 'Ask for a link that can make changes where you got this one, or use an API key.',
  },
  invalid_request: {
    status: 400,
    title: 'Request is not valid',
    remedy: 'Correct the request. Sending it again unchanged fails the same way.',
  },
  unsupported_platform: {
    status: 400,
    title: 'Platform is not supported',
    remedy: 'Use a supported platform.',
  },
  unsupported_kind: {
    status: 422,
    title: 'Kind is not supported yet',
    remedy: 'Choose another kind.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    remedy: 'Check the method, the path and every identifier in it.',
  },
  idempotency_conflict: {
    status: 409,
    title: 'Idempotency key is taken',
    remedy: 'Use a new `Idempotency-Key` for new work.',
  },
  idempotency_key_reused: {
    status: 409,
    title: 'Idempotency key belongs to another request',
    remedy:
      'Use a new `Idempotency-Key` for each request, and send the same request again under the same key.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Request is in progress',
    remedy:
      'Wait the number of seconds in `Retry-After`, then send the same request with the same key again.',
  },
  run_not_ready: {
    status: 409,
    title: 'Run results are not ready',
    remedy: 'While the Run is in progress, poll it until its status is `completed` or `partial`.',
  },
  insufficient_balance: {
    status: 402,
    title: 'Balance is too low',
    remedy: 'Add funds, then start the work again.',
  },
  rate_limit_exceeded: {
    status: 429,
    title: 'Too many requests',
    remedy: 'Wait the number of seconds in `Retry-After`, then retry.',
  },
  concurrency_limit_exceeded: {
    status: 429,
    title: 'Too many Runs in flight',
    remedy: 'Wait the number of seconds in `Retry-After`, then retry.',
  },
  tracker_limit_exceeded: {
    status: 409,
    title: 'Tracker limit is reached',
    remedy: 'Delete a Tracker, then retry.',
  },
  webhook_limit_exceeded: {
    status: 409,
    title: 'Webhook limit is reached',
    remedy:
      'Delete an endpoint, then register again. Endpoints whose status is `failed` receive nothing and hold a slot until you delete them.',
  },
  webhook_rotation_in_progress: {
    status: 409,
    title: 'Rotation is in progress',
    remedy: 'Wait until `overlap_expires_at`, then rotate again.',
  },
  webhook_not_active: {
    status: 409,
    title: 'Webhook is not active',
    remedy: 'Register the URL again, and delete this endpoint if its status is `failed`: it holds a slot.',
  },
  delivery_in_progress: {
    status: 409,
    title: 'Delivery is in progress',
    remedy:
      'Wait until the status of the delivery is `delivered` or `failed`, then replay it. `next_attempt_at` says when it is attempted next.',
  },
  replay_in_progress: {
    status: 409,
    title: 'Bulk replay is in progress',
    remedy: 'Wait until the bulk replay in `replay_id` has ended, or cancel it, then start another one.',
  },
  media_unavailable: {
    status: 502,
    title: 'Media is not available',
    remedy: 'Do not retry: the video itself is unavailable.',
  },
  vendor_error: {
    status: 502,
    title: 'Upstream source failed',
    remedy: 'Retry with exponential backoff.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    remedy: 'Retry with exponential backoff; quote `instance` when you contact support.',
  },
} as const satisfies Record<string, ProblemDefinition>;

export type ProblemCode = keyof typeof problemCodes;

/** Codes that are found only inside a stored Run; no operation of this service raises them. */
export const engineCodes: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'unsupported_kind',
  'idempotency_conflict',
  'insufficient_balance',
  'concurrency_limit_exceeded',
  'tracker_limit_exceeded',
  'media_unavailable',
  'vendor_error',
]);

/** One fault of a request: a JSON Pointer into the body, `?name` for a query parameter, or the name of a header. */
export type RequestFault = { readonly pointer: string; readonly detail: string };

/** Seconds of the `Retry-After` header. */
type RetryAfter = { readonly retryAfter: number };

/** What a failure of a code has beyond the five members of every problem document. */
export type ExtraMembers = {
  concurrency_limit_exceeded: RetryAfter;
  invalid_request: { readonly errors?: readonly RequestFault[] };
  insufficient_balance: { readonly balance_usd: number; readonly required_usd: number };
  idempotency_conflict: { readonly run_id: string };
  idempotency_in_progress: RetryAfter;
  rate_limit_exceeded: { readonly limit: number } & RetryAfter;
  replay_in_progress: { readonly replay_id?: string };
  webhook_limit_exceeded: { readonly limit: number };
  webhook_rotation_in_progress: { readonly overlap_expires_at: string };
};

export const problemCodeNames = Object.keys(problemCodes).filter(isProblemCode);

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problemCodes, text);
}

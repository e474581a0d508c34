/**
 * The catalogue of failures: one entry for each stable code, everything else about problems is derived from it
 * (constructors, gateway responses, documentation pages, OpenAPI). Codes are never renamed.
 *
 * `meaning` is what the published page of the code says; `remedy` is what the caller should do next.
 */
type ProblemDefinition = {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
  /** `engine`: only ever found inside a stored Run, no endpoint of ours raises it. */
  readonly raisedBy: 'api' | 'engine';
};

export const problemCodes = {
  missing_authorization: {
    status: 401,
    title: 'Authorization is missing',
    meaning: 'The request carried no bearer credential.',
    remedy: 'Send `Authorization: Bearer <credential>` with an API key or an access token.',
    raisedBy: 'api',
  },
  invalid_key: {
    status: 401,
    title: 'API key is not recognised',
    meaning: 'The bearer credential is not an API key known to this service.',
    remedy: 'Check that the whole key was sent, and that it belongs to this deployment.',
    raisedBy: 'api',
  },
  key_revoked: {
    status: 401,
    title: 'API key was revoked',
    meaning: 'The key was known once and has been revoked since.',
    remedy: 'Use another key; a revoked key never works again.',
    raisedBy: 'api',
  },
  invalid_token: {
    status: 401,
    title: 'Access token is not valid',
    meaning: 'The access token is malformed, expired, or was issued for something else.',
    remedy: 'Refresh the token and repeat the request once.',
    raisedBy: 'api',
  },
  connection_revoked: {
    status: 401,
    title: 'Connection was revoked',
    meaning: 'The token verifies, but consent to its connection was withdrawn or its client was disabled.',
    remedy: 'Repeating does not help; the user has to connect again.',
    raisedBy: 'api',
  },
  organization_not_selected: {
    status: 403,
    title: 'No organization is selected',
    meaning: 'The connection was authorized without an organization, so there is no balance to act on.',
    remedy: 'Authorize the connection again and choose an organization.',
    raisedBy: 'api',
  },
  organization_access_revoked: {
    status: 403,
    title: 'Access to the organization was revoked',
    meaning: 'The user of this token no longer belongs to the organization it acts for.',
    remedy: 'Ask an administrator of the organization, or connect as another user.',
    raisedBy: 'api',
  },
  invalid_request: {
    status: 400,
    title: 'Request is not valid',
    meaning: 'The request does not match the operation. `errors`, when present, points at each fault.',
    remedy: 'Correct the request; repeating it unchanged fails in the same way.',
    raisedBy: 'api',
  },
  unsupported_platform: {
    status: 400,
    title: 'Platform is not supported',
    meaning: 'The platform in the path is not covered by this operation.',
    remedy: 'Use one of the supported platforms.',
    raisedBy: 'api',
  },
  unsupported_kind: {
    status: 422,
    title: 'Kind is not supported yet',
    meaning:
      'The request is valid, but asks for something that is not served yet. Nothing was created or charged.',
    remedy: 'Choose another kind of subject.',
    raisedBy: 'engine',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'There is no such thing, or it is not yours, or there is no such path or method.',
    remedy: 'Check the path and the identifiers.',
    raisedBy: 'api',
  },
  idempotency_conflict: {
    status: 409,
    title: 'Idempotency key is taken',
    meaning:
      'The `Idempotency-Key` was used before with another payload. `run_id` names the Run it belongs to.',
    remedy: 'Use a new key for new work.',
    raisedBy: 'engine',
  },
  run_not_ready: {
    status: 409,
    title: 'Run has nothing to serve',
    meaning: 'The Run is still working, or it failed and never will have results.',
    remedy: 'While it works, poll the Run until it is `completed` or `partial`.',
    raisedBy: 'api',
  },
  insufficient_balance: {
    status: 402,
    title: 'Balance is too low',
    meaning:
      'The balance does not cover the price. `required_usd` was asked for, `balance_usd` was there. On one item of a partial Run: the balance ran short before this item.',
    remedy: 'Top up the balance and start the work again.',
    raisedBy: 'engine',
  },
  rate_limit_exceeded: {
    status: 429,
    title: 'Too many requests',
    meaning: 'The credential used up its requests per minute. `limit` says how many it has.',
    remedy: 'Wait for the seconds that the `Retry-After` header gives.',
    raisedBy: 'api',
  },
  concurrency_limit_exceeded: {
    status: 429,
    title: 'Too many Runs in flight',
    meaning: 'The customer has as many unfinished Runs as are allowed at once.',
    remedy: 'Wait for the seconds that the `Retry-After` header gives.',
    raisedBy: 'engine',
  },
  tracker_limit_exceeded: {
    status: 409,
    title: 'Tracker limit is reached',
    meaning: 'The customer holds as many Trackers as are allowed.',
    remedy: 'Remove a Tracker first; repeating does not help.',
    raisedBy: 'engine',
  },
  webhook_limit_exceeded: {
    status: 409,
    title: 'Webhook limit is reached',
    meaning: 'The customer holds five endpoints already; a failed endpoint counts too.',
    remedy: 'Delete an endpoint first.',
    raisedBy: 'api',
  },
  webhook_rotation_in_progress: {
    status: 409,
    title: 'Rotation is in progress',
    meaning: 'The previous rotation still overlaps: both secrets are valid until `overlap_expires_at`.',
    remedy: 'Wait until the overlap has ended.',
    raisedBy: 'api',
  },
  webhook_not_active: {
    status: 409,
    title: 'Webhook is not active',
    meaning: 'The operation needs an active endpoint; this one failed its handshake or was deleted.',
    remedy: 'Register the endpoint again.',
    raisedBy: 'api',
  },
  delivery_in_progress: {
    status: 409,
    title: 'Delivery is in progress',
    meaning: 'The delivery is still being attempted, so it cannot be replayed yet.',
    remedy: 'Wait until it is `delivered` or `failed`.',
    raisedBy: 'api',
  },
  media_unavailable: {
    status: 502,
    title: 'Media is not available',
    meaning: 'The media could not be fetched: it was deleted, is private, or was refused.',
    remedy: 'Repeating does not help; this is a fact about the video.',
    raisedBy: 'engine',
  },
  vendor_error: {
    status: 502,
    title: 'Upstream source failed',
    meaning: 'A source that the Run depends on failed. The Run was not charged.',
    remedy: 'Repeat with increasing pauses.',
    raisedBy: 'engine',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    meaning: 'The service failed. Nothing is known to be wrong with the request.',
    remedy: 'Repeat with increasing pauses, and name `instance` when you ask for help.',
    raisedBy: 'api',
  },
} as const satisfies Record<string, ProblemDefinition>;

export type ProblemCode = keyof typeof problemCodes;

export const problemCodeNames = Object.keys(problemCodes).filter(isProblemCode);

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problemCodes, text);
}

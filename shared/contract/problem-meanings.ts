import type { ProblemCode } from './problem-codes.ts';

/** What happened, for the published page of each code. Backticks mark code. */
export const problemMeanings: Readonly<Record<ProblemCode, string>> = {
  missing_authorization: 'The request has no bearer credential.',
  invalid_key: 'The bearer credential is not an API key of this service.',
  key_revoked: 'The API key was revoked.',
  portal_link_ended: 'The credential of a portal link was sent after its end, or after it was revoked.',
  invalid_token: 'The access token is malformed, has expired, or was issued for another service.',
  connection_revoked:
    'The access token is valid, but its connection was revoked: the user withdrew consent, or the client was disabled.',
  organization_not_selected:
    'The connection was authorized without an organization, so the request has no balance to act on.',
  organization_access_revoked: 'The user of this access token left the organization that the token acts for.',
  invalid_request: 'The request does not match the operation. `errors`, when present, lists each fault.',
  unsupported_platform: 'This operation does not cover the platform in the path.',
  unsupported_kind:
    'The request is valid, but the service does not support this kind yet. Nothing was created or charged.',
  not_found: 'The resource does not exist or belongs to another customer, or the path or method is unknown.',
  idempotency_conflict:
    'The `Idempotency-Key` was used before with a different payload. `run_id` is the Run of the first request.',
  run_not_ready: 'The Run has not settled yet, or it failed and has no results.',
  insufficient_balance:
    'The balance does not cover the price: `required_usd` is needed, `balance_usd` is available. On an item of a partial Run: the balance ran out before this item.',
  rate_limit_exceeded:
    'The credential has reached its limit of requests per minute. `limit` is the number of requests.',
  concurrency_limit_exceeded: 'The customer has reached the limit of unfinished Runs.',
  tracker_limit_exceeded: 'The customer has reached the limit of Trackers.',
  webhook_limit_exceeded: 'The customer already has five endpoints. Failed endpoints count.',
  webhook_rotation_in_progress:
    'The overlap of the previous rotation is still open: both secrets are valid until `overlap_expires_at`.',
  webhook_not_active:
    'The operation needs an active endpoint. This endpoint failed its handshake or was deleted.',
  delivery_in_progress: 'The service is still attempting the delivery, so it cannot be replayed yet.',
  replay_in_progress:
    'A bulk replay of this endpoint is running. An endpoint has one at a time; `replay_id` names it.',
  media_unavailable:
    'The media could not be fetched: it was deleted, is private, or the platform refused access.',
  vendor_error: 'An upstream source of the Run failed. The Run was not charged.',
  internal_error: 'The service failed. The request itself may be correct.',
};

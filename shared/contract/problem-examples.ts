import { invalidRequest, type Problem, problem } from './problem.ts';
import type { ProblemCode } from './problem-codes.ts';

/** The request id in the examples. */
export const exampleInstance = '4d7e1c0a-93b5-4f0e-8a57-2f6b1f0c9d34';

/** One occurrence of each code. A code without a text here has its usual `detail`. */
export const exampleProblems: Readonly<Record<ProblemCode, Problem>> = {
  missing_authorization: problem('missing_authorization'),
  invalid_key: problem('invalid_key'),
  key_revoked: problem('key_revoked'),
  portal_link_ended: problem('portal_link_ended'),
  invalid_token: problem('invalid_token'),
  connection_revoked: problem('connection_revoked'),
  organization_not_selected: problem('organization_not_selected'),
  organization_access_revoked: problem('organization_access_revoked'),
  invalid_request: invalidRequest('?limit', '`limit` must be a whole number from 1 to 100'),
  unsupported_platform: problem('unsupported_platform', {
    detail: 'Use a supported platform: tiktok, instagram, youtube',
  }),
  unsupported_kind: problem('unsupported_kind'),
  not_found: problem('not_found'),
  idempotency_conflict: problem('idempotency_conflict', { run_id: 'run_01KB3NPX5G7H9J1K3M5N7P9Q1R' }),
  run_not_ready: problem('run_not_ready'),
  insufficient_balance: problem('insufficient_balance', { balance_usd: 0.4, required_usd: 1.25 }),
  rate_limit_exceeded: problem('rate_limit_exceeded', { limit: 60, retryAfter: 17 }),
  concurrency_limit_exceeded: problem('concurrency_limit_exceeded', { retryAfter: 30 }),
  tracker_limit_exceeded: problem('tracker_limit_exceeded'),
  webhook_limit_exceeded: problem('webhook_limit_exceeded', { limit: 5 }),
  webhook_rotation_in_progress: problem('webhook_rotation_in_progress', {
    overlap_expires_at: '2026-11-21T10:00:00.000Z',
  }),
  webhook_not_active: problem('webhook_not_active'),
  delivery_in_progress: problem('delivery_in_progress'),
  replay_in_progress: problem('replay_in_progress', { replay_id: 'rpl_01KB3NPX5G7H9J1K3M5N7P9Q1R' }),
  media_unavailable: problem('media_unavailable', { detail: 'The video was deleted' }),
  vendor_error: problem('vendor_error', { detail: 'The platform did not answer in time' }),
  internal_error: problem('internal_error'),
};

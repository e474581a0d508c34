import { describe, expect, it } from 'vitest';
import { isProblemCode, problemCodeNames, problemCodes } from '#shared/contract/problem-codes.ts';

/** Codes and statuses are promised: a change here breaks clients. */
const promised = {
  missing_authorization: 401,
  invalid_key: 401,
  key_revoked: 401,
  portal_link_ended: 401,
  invalid_token: 401,
  connection_revoked: 401,
  organization_not_selected: 403,
  organization_access_revoked: 403,
  invalid_request: 400,
  unsupported_platform: 400,
  unsupported_kind: 422,
  not_found: 404,
  idempotency_conflict: 409,
  run_not_ready: 409,
  insufficient_balance: 402,
  rate_limit_exceeded: 429,
  concurrency_limit_exceeded: 429,
  tracker_limit_exceeded: 409,
  webhook_limit_exceeded: 409,
  webhook_rotation_in_progress: 409,
  webhook_not_active: 409,
  delivery_in_progress: 409,
  replay_in_progress: 409,
  media_unavailable: 502,
  vendor_error: 502,
  internal_error: 500,
};

describe('problemCodes', () => {
  it('problemCodes has exactly the promised codes, with their statuses', () => {
    const statuses = Object.entries(problemCodes).map(([code, { status }]) => [code, status]);

    expect(Object.fromEntries(statuses)).toEqual(promised);
    expect(new Set(problemCodeNames)).toEqual(new Set(Object.keys(promised)));
  });

  it.each(problemCodeNames)('problem code %s has a title and a remedy', (code) => {
    const { title, remedy } = problemCodes[code];

    expect(title).toMatch(/^[A-Z][^.]*$/);
    expect(remedy).toMatch(/^[A-Z].*\.$/s);
  });
});

describe('isProblemCode()', () => {
  it('accepts the codes, and no member that every object inherits', () => {
    expect(isProblemCode('not_found')).toBe(true);
    expect(['', 'NOT_FOUND', 'toString', 'constructor', '__proto__'].filter(isProblemCode)).toEqual([]);
  });
});

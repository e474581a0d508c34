import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  invalidRequest,
  Problem,
  type ProblemDetails,
  problem,
  problemDocument,
  type RequestFault,
} from '#shared/contract/problem.ts';
import { type ProblemCode, problemCodeNames, problemCodes } from '#shared/contract/problem-codes.ts';

const docsUrl = 'https://docs.example.com';

/** One problem of each code, with the members that the compiler demands. */
const examples: Record<ProblemCode, Problem> = {
  missing_authorization: problem('missing_authorization'),
  invalid_key: problem('invalid_key'),
  key_revoked: problem('key_revoked'),
  portal_link_ended: problem('portal_link_ended'),
  invalid_token: problem('invalid_token'),
  connection_revoked: problem('connection_revoked'),
  organization_not_selected: problem('organization_not_selected'),
  organization_access_revoked: problem('organization_access_revoked'),
  invalid_request: problem('invalid_request'),
  unsupported_platform: problem('unsupported_platform'),
  unsupported_kind: problem('unsupported_kind'),
  not_found: problem('not_found'),
  idempotency_conflict: problem('idempotency_conflict', { run_id: 'run_1' }),
  run_not_ready: problem('run_not_ready'),
  insufficient_balance: problem('insufficient_balance', { balance_usd: 0.5, required_usd: 2 }),
  rate_limit_exceeded: problem('rate_limit_exceeded', { limit: 60, retryAfter: 7 }),
  concurrency_limit_exceeded: problem('concurrency_limit_exceeded', { retryAfter: 7 }),
  tracker_limit_exceeded: problem('tracker_limit_exceeded'),
  webhook_limit_exceeded: problem('webhook_limit_exceeded', { limit: 5 }),
  webhook_rotation_in_progress: problem('webhook_rotation_in_progress', {
    overlap_expires_at: '2026-01-02T00:00:00.000Z',
  }),
  webhook_not_active: problem('webhook_not_active'),
  delivery_in_progress: problem('delivery_in_progress'),
  replay_in_progress: problem('replay_in_progress', { replay_id: 'rpl_1' }),
  media_unavailable: problem('media_unavailable'),
  vendor_error: problem('vendor_error'),
  internal_error: problem('internal_error'),
};

describe('problemDocument()', () => {
  it.each(problemCodeNames)('the document of %s has the members of every problem', (code) => {
    const { status, title } = problemCodes[code];

    expect(problemDocument(examples[code], docsUrl)).toMatchObject({
      type: `${docsUrl}/errors/${code}`,
      title,
      status,
      code,
    });
  });

  it.each([
    { code: 'idempotency_conflict', members: { run_id: 'run_1' } },
    { code: 'insufficient_balance', members: { balance_usd: 0.5, required_usd: 2 } },
    { code: 'rate_limit_exceeded', members: { limit: 60 } },
    { code: 'webhook_limit_exceeded', members: { limit: 5 } },
    { code: 'webhook_rotation_in_progress', members: { overlap_expires_at: '2026-01-02T00:00:00.000Z' } },
  ] as const)('the document of $code adds $members', ({ code, members }) => {
    const document = problemDocument(examples[code], docsUrl);
    const { type: _, title: __, status: ___, code: ____, detail: _____, ...rest } = document;

    expect(rest).toEqual(members);
  });

  it('the document has the detail and the request id when they are given', () => {
    const failure = problem('not_found', { detail: 'No such endpoint' });

    expect(problemDocument(failure, docsUrl, 'request-1')).toEqual({
      type: `${docsUrl}/errors/not_found`,
      title: problemCodes.not_found.title,
      status: 404,
      code: 'not_found',
      detail: 'No such endpoint',
      instance: 'request-1',
    });
    expect(Object.keys(problemDocument(problem('internal_error'), docsUrl))).toEqual([
      'type',
      'title',
      'status',
      'code',
    ]);
  });

  it.each(problemCodeNames.filter((code) => problemCodes[code].status < 500))(
    'the document of %s says what to change, also without its own detail',
    (code) => {
      const { detail } = problemDocument(examples[code], docsUrl);

      expect(detail).toMatch(/^[A-Z].*[^.]$/);
      const { retryAfter } = examples[code];
      const usual = retryAfter === undefined ? problemCodes[code].remedy : 'Wait 7 seconds, then retry.';
      expect(`${detail}.`).toBe(usual);
    },
  );

  it('the document does not contain the seconds of Retry-After', () => {
    expect(examples.rate_limit_exceeded.retryAfter).toBe(7);
    expect(problemDocument(examples.rate_limit_exceeded, docsUrl)).not.toHaveProperty('retryAfter');
  });
});

describe('problem()', () => {
  it('problem() is an error that names its code and detail', () => {
    const failure = problem('not_found', { detail: 'No such endpoint' });

    expect(failure).toBeInstanceOf(Problem);
    expect(failure).toMatchObject({
      name: 'Problem',
      code: 'not_found',
      status: 404,
      detail: 'No such endpoint',
      message: 'not_found: No such endpoint',
    });
    expect(problem('not_found')).toMatchObject({ message: 'not_found', detail: undefined });
  });

  it('problem() requires the members of its code at compile time', () => {
    // @ts-expect-error limit and retryAfter are missing
    problem('rate_limit_exceeded');
    // @ts-expect-error retryAfter is missing
    problem('rate_limit_exceeded', { limit: 60 });
    // @ts-expect-error retryAfter is missing
    problem('concurrency_limit_exceeded', { detail: 'Busy' });
    // @ts-expect-error required_usd is missing
    problem('insufficient_balance', { balance_usd: 1 });
    // @ts-expect-error run_id is missing
    problem('idempotency_conflict');
    // @ts-expect-error limit is missing
    problem('webhook_limit_exceeded', {});
    // @ts-expect-error the time is missing
    problem('webhook_rotation_in_progress');
    // @ts-expect-error the code does not exist
    problem('webhook_gone');
    // @ts-expect-error not a member of this code
    problem('not_found', { limit: 5 });
    // @ts-expect-error a limit is a number
    problem('webhook_limit_exceeded', { limit: '5' });

    expectTypeOf<ProblemDetails<'rate_limit_exceeded'>>().toExtend<{ limit: number; retryAfter: number }>();
    expectTypeOf<ProblemDetails<'invalid_request'>['errors']>().toEqualTypeOf<
      readonly RequestFault[] | undefined
    >();
    expectTypeOf<keyof ProblemDetails<'not_found'>>().toEqualTypeOf<'detail'>();
  });
});

describe('invalidRequest()', () => {
  it('points at the only fault', () => {
    expect(problemDocument(invalidRequest('/url', 'must be https'), docsUrl)).toMatchObject({
      status: 400,
      code: 'invalid_request',
      detail: 'must be https',
      errors: [{ pointer: '/url', detail: 'must be https' }],
    });
  });
});

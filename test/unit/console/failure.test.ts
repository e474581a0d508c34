import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  failureOf,
  faultOf,
  isLasting,
  isOfFields,
  isRefused,
  ownFailure,
  problemFailure,
  RequestFailed,
  summaryOf,
} from '../../../console/api/failure.ts';
import { partsOf } from '../../../console/api/problem-words.ts';

const answer = (status: number, headers: Readonly<Record<string, string>> = {}) => ({
  status,
  headers: new Headers(headers),
});

describe('problemFailure()', () => {
  it('takes a problem document as it is', () => {
    const page = 'https://api.example.com/docs/errors/invalid_request';
    const same = { title: 'Invalid request', detail: 'The request has 1 fault', code: 'invalid_request' };
    const [url, limit] = ['must be an https URL', 'must be 1 to 100'];
    const errors = [
      { pointer: '/url', detail: url },
      { parameter: 'limit', detail: limit },
    ];

    expect(problemFailure(answer(400), { ...same, type: page, instance: 'req_1', errors })).toEqual({
      ...same,
      ...{ kind: 'problem', status: 400, page, requestId: 'req_1', retryAfter: null },
      faults: [
        { where: '/url', detail: url },
        { where: 'limit', detail: limit },
      ],
    });
  });

  it('shows any body of any type without throwing, and only texts of it', () => {
    const members = fc.record(
      {
        type: fc.anything(),
        title: fc.anything(),
        detail: fc.anything(),
        instance: fc.anything(),
        errors: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), members), (body) => {
        const failure = problemFailure(answer(502), body);

        expect(failure.kind === 'problem' && typeof failure.title).toBe('string');
        expect(typeof summaryOf(failure)).toBe('string');
      }),
    );
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', '//example.com', 'about:blank'])(
    '%s does not become a link',
    (type) => {
      expect(problemFailure(answer(400), { type })).toMatchObject({ page: null });
    },
  );

  it.each([
    ['31', 31],
    ['0', 1],
    ['Sun, 22 Nov 2026 10:00:00 GMT', 1],
    ['', 1],
  ])('Retry-After %j of a 429 is %d seconds', (field, seconds) => {
    expect(problemFailure(answer(429, { 'Retry-After': field }), null)).toMatchObject({
      retryAfter: seconds,
    });
    expect(problemFailure(answer(503, { 'Retry-After': field }), null)).toMatchObject({ retryAfter: null });
  });
});

describe('failureOf()', () => {
  it('keeps the failure of a request, and treats everything else as no response', () => {
    const failure = problemFailure(answer(404), null);

    expect(failureOf(new RequestFailed(failure))).toBe(failure);
    expect(failureOf(new TypeError('Failed to fetch'))).toEqual({ kind: 'offline' });
    expect(summaryOf(failureOf(ownFailure('Choose another time')))).toBe('Choose another time');
  });
});

describe('texts for people', () => {
  const refused = (errors: readonly { readonly pointer: string; readonly detail: string }[]) =>
    problemFailure(answer(400), { code: 'invalid_request', title: 'Request is not valid', errors });

  it('known codes have own words, and others keep what the API says', () => {
    const known = problemFailure(answer(401), { code: 'invalid_key', title: 'x', detail: 'you *sent* it' });
    const unknown = problemFailure(answer(409), { code: 'too_new', title: 'Too new', detail: 'Send `a`' });

    expect(summaryOf(known)).toBe(
      'This key or link is not known. Check that it is complete, and that it belongs to this service.',
    );
    expect(summaryOf(unknown)).toBe('Too new. Send `a`');
    expect(partsOf('Send `a`')).toEqual([
      { text: 'Send ', isCode: false },
      { text: 'a', isCode: true },
    ]);
  });

  it('a fault belongs to its field, and a form that shows all of them needs no card', () => {
    const failure = refused([{ pointer: '/url', detail: 'The URL must use https' }]);
    const more = refused([
      { pointer: '/url', detail: 'The URL must use https' },
      { pointer: '/x', detail: '`x` is unknown' },
    ]);

    expect(faultOf(failure, '/url')).toBe('The URL must use https.');
    expect([faultOf(failure, '/x'), faultOf({ kind: 'offline' }, '/url'), faultOf(null, '/url')]).toEqual([
      null,
      null,
      null,
    ]);
    expect(
      [failure, more, refused([]), { kind: 'offline' } as const].map((each) => isOfFields(each, ['/url'])),
    ).toEqual([true, false, false, false]);
  });
});

describe('isRefused() and isLasting()', () => {
  it.each([
    [400, 'invalid_request', false, true],
    [401, 'invalid_key', true, true],
    [401, null, true, true],
    [403, 'organization_access_revoked', true, true],
    [403, 'portal_link_read_only', false, true],
    [403, null, false, true],
    [404, 'not_found', false, true],
    [429, 'rate_limit_exceeded', false, false],
    [500, null, false, false],
  ])('status %d with the code %s: refused %s, lasting %s', (status, code, refused, lasting) => {
    const failure = problemFailure(answer(status), { code });

    expect([isRefused(failure), isLasting(failure)]).toEqual([refused, lasting]);
  });

  it('no response is neither', () => {
    expect([isRefused({ kind: 'offline' }), isLasting({ kind: 'offline' })]).toEqual([false, false]);
  });
});

import { describe, expect, it } from 'vitest';
import { failureAdvice } from '#shared/contract/records/failure-advice.ts';
import { attemptOutcomes } from '#shared/domain/attempt.ts';
import { dnsFailed, failureOf, timedOut } from '#shared/http/attempt-failure.ts';

const rejected = (responseStatus: number) => ({
  outcome: 'rejected',
  responseStatus,
  error: `The receiver responded with status ${responseStatus}`,
});
const failed = ({ outcome, message }: { readonly outcome: string; readonly message: string }) => ({
  outcome,
  responseStatus: null,
  error: message,
});
const withCode = (code: string) => failed(failureOf(Object.assign(new Error(code), { code }), 'tlsMs'));

describe('failureAdvice()', () => {
  it.each([
    [400, /without verifying it$/],
    [401, /without verifying it$/],
    [403, /without verifying it$/],
    [404, /path/],
    [405, /POST/],
    [301, /^Redirects are not followed: register/],
    [308, /^Redirects are not followed: register/],
    [500, /log of the receiver/],
    [418, /2xx/],
  ])('says what to do about a handshake answered %i', (status, advice) => {
    expect(failureAdvice(rejected(status), true)).toMatch(advice);
  });

  it.each([400, 401, 403])('asks for no unverified answer %i to an event after the handshake', (status) => {
    expect(failureAdvice(rejected(status), false)).not.toMatch(/without verifying/);
  });

  it.each([
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /intermediate certificates/],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /intermediate certificates/],
    ['CERT_HAS_EXPIRED', /^Renew/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /public certificate authority/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /names$/],
    ['EPROTO', /TLS 1\.2/],
  ])('names the fix of the certificate fault %s', (code, advice) => {
    expect(failureAdvice(withCode(code), true)).toMatch(advice);
  });

  it('tells a slow receiver from one that cannot be reached', () => {
    expect(failureAdvice(failed(timedOut('firstByteMs', 10_000)), false)).toMatch(/^Answer 2xx at once/);
    expect(failureAdvice(failed(timedOut('connectMs', 10_000)), false)).toMatch(/accepts connections/);
    expect(
      failureAdvice(
        failed({
          outcome: 'timed_out',
          message: 'Timed out after 10 seconds waiting for the response headers',
        }),
        false,
      ),
    ).toMatch(/^Answer 2xx at once/);
  });

  it('names the DNS records of a host that does not resolve', () => {
    expect(failureAdvice(failed(dnsFailed('ENOTFOUND')), true)).toMatch(/DNS records/);
  });

  it.each(attemptOutcomes.filter((outcome) => !['acknowledged', 'interrupted'].includes(outcome)))(
    'has a sentence without a final period for the outcome %s',
    (outcome) => {
      for (const handshake of [true, false]) {
        expect(failureAdvice({ outcome, responseStatus: null, error: null }, handshake)).toMatch(
          /^[A-Z].*[^.]$/,
        );
      }
    },
  );

  it.each(['acknowledged', 'interrupted', 'of_another_release'])('has no advice on %s', (outcome) => {
    expect(failureAdvice({ outcome, responseStatus: null, error: null }, true)).toBeNull();
  });
});

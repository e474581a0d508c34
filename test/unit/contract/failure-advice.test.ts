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
const adviceOn = (outcome: string, handshake: boolean) =>
  failureAdvice({ outcome, responseStatus: null, error: null }, handshake);
const storedEarlier = 'Timed out after 10 seconds waiting for the response headers';

describe('failureAdvice()', () => {
  it.each([
    ['status 400', rejected(400), /without verifying it$/],
    ['status 401', rejected(401), /without verifying it$/],
    ['status 403', rejected(403), /without verifying it$/],
    ['status 404', rejected(404), /path/],
    ['status 405', rejected(405), /POST/],
    ['status 300', rejected(300), /^Redirects are not followed: register/],
    ['status 399', rejected(399), /^Redirects are not followed: register/],
    ['status 500', rejected(500), /log of the receiver/],
    ['status 418', rejected(418), /2xx/],
    ['no intermediate certificate', withCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), /intermediate certificates/],
    ['no issuer', withCode('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), /intermediate certificates/],
    ['an expired certificate', withCode('CERT_HAS_EXPIRED'), /^Renew/],
    ['a self-signed certificate', withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), /public certificate authority/],
    ['a certificate of another name', withCode('ERR_TLS_CERT_ALTNAME_INVALID'), /names$/],
    ['no shared cipher', withCode('ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'), /ciphers of today/],
    ['a missing client certificate', withCode('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), /^Ask for no client/],
    ['no certificate for the host', withCode('ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR'), /^Give the receiver/],
    ['old renegotiation', withCode('ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED'), /^Update/],
    ['another protocol', withCode('EPROTO'), /TLS 1\.2/],
    ['a slow response', failed(timedOut('firstByteMs', 10_000)), /^Answer 2xx at once/],
    ['a slow response of 0.1.0', failed({ outcome: 'timed_out', message: storedEarlier }), /^Answer 2xx at once/],
    ['a slow connection', failed(timedOut('connectMs', 10_000)), /accepts connections/],
    ['an unknown host', failed(dnsFailed('ENOTFOUND')), /DNS records/],
  ])('says what to do about a handshake that failed with %s', (_, attempt, advice) => {
    expect(failureAdvice(attempt, true)).toMatch(advice);
  });

  it.each([400, 401, 403])('asks for no unverified answer %i to an event after the handshake', (status) => {
    expect(failureAdvice(rejected(status), false)).not.toMatch(/without verifying/);
  });

  it.each([403, 405, 429, 503])(
    'sends nobody to the code of the receiver after a challenge for browsers with %i',
    (status) => {
      const challenged = { ...rejected(status), error: `${rejected(status).error} and a challenge for browsers` };

      for (const handshake of [true, false])
        expect(failureAdvice(challenged, handshake)).toMatch(/^Exempt the path of the URL from the bot protection/);
    },
  );

  it.each([403, 406, 415])('names a firewall when an event is refused with %i after the handshake', (status) => {
    expect(failureAdvice(rejected(status), false)).toMatch(/firewall/);
  });

  it.each(attemptOutcomes.filter((outcome) => !['acknowledged', 'interrupted'].includes(outcome)))(
    'has a sentence without a final period for the outcome %s',
    (outcome) => {
      for (const handshake of [true, false]) expect(adviceOn(outcome, handshake)).toMatch(/^[A-Z].*[^.]$/);
    },
  );

  it.each(['acknowledged', 'interrupted', 'of_another_release'])('has no advice on %s', (outcome) => {
    expect(adviceOn(outcome, true)).toBeNull();
  });
});

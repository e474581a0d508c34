import { describe, expect, it } from 'vitest';
import { limits } from '#shared/contract/limits.ts';
import { invalidRequest, type Problem, problem, problemDocument } from '#shared/contract/problem.ts';
import { nextStep } from '#shared/contract/records/registration.ts';
import type { AttemptOutcome } from '#shared/domain/attempt.ts';
import { parseEndpointUrl } from '#shared/domain/endpoint-url.ts';
import { attemptTimeout } from '#shared/domain/retry-plan.ts';
import {
  type AttemptFailure,
  addressRefused,
  dnsFailed,
  failedTwice,
  failureOf,
  timedOut,
} from '#shared/http/attempt-failure.ts';
import type { Phase } from '#shared/http/attempt-progress.ts';
import { createUrlCheck } from '#shared/http/check-endpoint-url.ts';
import { rowsWith } from '../../architecture/test-titles.ts';
import { expectShown, readPage } from '../../support/docs/page-examples.ts';
import { type Ending, shownError, shownHandshakeError } from '../../support/docs/shown-deliveries.ts';

const { text: page } = await readPage('troubleshooting.md');

const failed = (outcome: AttemptOutcome, error: string, responseStatus: number | null = null): Ending => ({
  outcome,
  responseStatus,
  error,
});
const status = (code: number): Ending => failed('rejected', `The receiver responded with status ${code}`, code);
const challengeError = 'The receiver responded with status 403 and a challenge for browsers';
const without = ({ outcome, message }: AttemptFailure): Ending => failed(outcome, message);
const codedError = (code: string): Error => Object.assign(new Error(), { code });
const nodeError = (code: string, phase: Phase): Ending => without(failureOf(codedError(code), phase));

const errors = {
  'handshake 401': shownHandshakeError(status(401)),
  'slow response': shownError(without(timedOut('firstByteMs', attemptTimeout))),
  'no connection': shownError(without(timedOut('connectMs', attemptTimeout))),
  'incomplete chain': shownError(nodeError('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tlsMs')),
  'expired certificate': shownError(nodeError('CERT_HAS_EXPIRED', 'tlsMs')),
  'self-signed certificate': shownError(nodeError('DEPTH_ZERO_SELF_SIGNED_CERT', 'tlsMs')),
  'other name': shownError(nodeError('ERR_TLS_CERT_ALTNAME_INVALID', 'tlsMs')),
  challenge: shownHandshakeError(failed('rejected', challengeError, 403)),
  redirect: shownError(status(301)),
  firewall: shownError(status(403)),
  '404': shownError(status(404)),
  '405': shownError(status(405)),
  dns: shownError(without(dnsFailed('ENOTFOUND'))),
  refused: shownError(nodeError('ECONNREFUSED', 'connectMs')),
  lost: shownError(nodeError('ECONNRESET', 'firstByteMs')),
  unreachable: shownError(nodeError('ENETUNREACH', 'connectMs')),
  'http/2 only': shownError(nodeError('ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'tlsMs')),
  'handshake closed': shownError(without(failedTwice(failureOf(codedError('ECONNRESET'), 'tlsMs')))),
  'private address': shownError(without(addressRefused('10.0.0.7'))),
};

const checkUrl = createUrlCheck({
  resolve: async () => ({ ok: true, addresses: ['10.0.0.7'] }),
  trustedOrigins: new Set(),
});

async function refusalOf(url: string): Promise<string> {
  const checked = await checkUrl(url);
  return checked.ok ? 'accepted' : checked.detail;
}

const shown = (given: Problem) =>
  problemDocument(given, 'https://api.example.com/docs', '4d7e1c0a-93b5-4f0e-8a57-2f6b1f0c9d34');

const failedEndpoint = { id: 'whe_01KB3M0V8Q6YQ2S7ZP4N1D5T9C', status: 'failed' } as const;

const examples = {
  'failed handshake': {
    webhook: failedEndpoint,
    test_delivery: {
      status: 'failed',
      attempts: 1,
      response_status: 401,
      error: shownHandshakeError(status(401)),
    },
    next_step: nextStep(failedEndpoint),
  },
  'private address': shown(invalidRequest('/url', await refusalOf('https://hooks.example.com/runs'))),
  'too many requests': shown(problem('rate_limit_exceeded', { limit: limits.requestsPerMinute, retryAfter: 17 })),
  'endpoint limit': shown(problem('webhook_limit_exceeded', { limit: limits.endpointsPerCustomer })),
  'not active': shown(problem('webhook_not_active')),
};

describe('docs/pages/troubleshooting.md', () => {
  it('docs/pages/troubleshooting.md shows errors and problem documents as the API writes them', async () => {
    await expectShown('troubleshooting.md', examples, errors);
  });

  it('docs/pages/troubleshooting.md names every reason to refuse a URL, as the API words it', async () => {
    const named = rowsWith(page, '`detail`').map(([detail]) => detail?.replaceAll('`', ''));

    const refused = [
      'http://hooks.example.com',
      'hooks.example.com/runs',
      'https://user:password@hooks.example.com',
      'https://hooks.example.com/#runs',
      `https://hooks.example.com/${'x'.repeat(2048)}`,
      'https://hooks.example.com:25',
      'https://10.0.0.7',
      'https://localhost',
      'https://-hooks.example.com',
      'https://hooks.example.com',
    ];
    expect(named).toEqual(await Promise.all(refused.map(refusalOf)));
    expect(parseEndpointUrl('https://hooks.example.com').ok).toBe(true);
  });

  it('docs/pages/troubleshooting.md leads to each of its sections', () => {
    const sections = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    const listed = [...(page.split('\n## ')[0] ?? '').matchAll(/\| \[([^\]]+)\]\(#/g)].map(([, name]) => name);

    expect(listed).toEqual(sections);
  });
});

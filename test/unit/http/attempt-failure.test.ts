import { expect, it } from 'vitest';
import { dnsFailed, failureOf, timedOut } from '#shared/http/attempt-failure.ts';
import type { Phase } from '#shared/http/attempt-progress.ts';

const phases: readonly Phase[] = ['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs'];
const codes = ['', 'ECONNRESET', 'ECONNREFUSED', 'HPE_INVALID_CONSTANT', 'CERT_HAS_EXPIRED', 'EPROTO'];

it('the error of an attempt is one printable sentence of at most 200 characters', () => {
  const failures = [
    ...phases.flatMap((phase) => codes.map((code) => failureOf(coded(code), phase))),
    ...phases.map((phase) => timedOut(phase, 10_000)),
    dnsFailed('ENOTFOUND'),
  ];

  for (const { message } of failures) {
    expect(message).toMatch(/^[A-Z][ -~]{9,198}[^.]$/);
  }
});

it.each(phases)('the error of an attempt contains no text or code that a receiver could choose (%s)', (phase) => {
  const failure = failureOf(coded('E\r\n10.0.0.1'), phase);

  expect(failure.message).not.toMatch(/10\.0\.0\.1|secret|[\r\n]/);
});

function coded(code: string): Error {
  return Object.assign(new Error('connect 10.0.0.1:443 secret\r\n'), { code });
}

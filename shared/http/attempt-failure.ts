import type { PostResult } from '#shared/domain/attempt.ts';
import type { Phase } from './attempt-progress.ts';

export type FailureOutcome = Exclude<PostResult['outcome'], 'acknowledged' | 'rejected'>;

/**
 * Ends an attempt without a response. The customer sees the message, so it contains only fixed sentences and Node's
 * error codes, never an address or bytes from the receiver.
 */
export class AttemptFailure extends Error {
  override readonly name = 'AttemptFailure';
  readonly outcome: FailureOutcome;

  constructor(outcome: FailureOutcome, message: string, cause?: unknown) {
    super(message, { cause });
    this.outcome = outcome;
  }
}

const certificateFaults: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  CERT_SIGNATURE_FAILURE: 'its signature is not valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its chain ends in an unknown self-signed certificate',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is unknown, or its chain is incomplete',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it does not name the host of the URL',
};

const connectionFaults: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The receiver refused the connection',
  EHOSTUNREACH: 'The receiver is unreachable',
  ENETUNREACH: 'The network of the receiver is unreachable',
};

const awaited: Readonly<Record<Phase, string>> = {
  dnsMs: 'No answer from DNS',
  connectMs: 'No connection to the receiver',
  tlsMs: 'No complete TLS handshake',
  firstByteMs: 'No complete response headers',
};

export function timedOut(phase: Phase, deadlineMs: number): AttemptFailure {
  return new AttemptFailure('timed_out', `${awaited[phase]} within ${deadlineMs / 1000} s`);
}

/** @param code error code of the DNS lookup */
export function dnsFailed(code: string): AttemptFailure {
  return new AttemptFailure('dns_failed', `The host name does not resolve${inBrackets(code)}`);
}

/** Maps an error of a socket or of the HTTP parser to a failure, by the phase in which it occurred. */
export function failureOf(error: unknown, phase: Phase): AttemptFailure {
  const code = codeOf(error);
  if (phase === 'tlsMs' || isTlsCode(code)) return new AttemptFailure('tls_failed', tlsText(code), error);
  if (code.startsWith('HPE_')) {
    return new AttemptFailure('invalid_response', `The response is not valid HTTP/1.1 (${code})`, error);
  }
  return new AttemptFailure('connection_failed', connectionText(code, phase), error);
}

function tlsText(code: string): string {
  const fault = certificateFaults[code];
  return fault === undefined
    ? `The TLS handshake failed${inBrackets(code)}`
    : `The certificate of the receiver was rejected: ${fault} (${code})`;
}

function connectionText(code: string, phase: Phase): string {
  const text =
    phase === 'connectMs'
      ? `Could not connect to the receiver${inBrackets(code)}`
      : `The connection was lost before the response headers were complete${inBrackets(code)}`;
  return connectionFaults[code] ?? text;
}

/** With TLS 1.3 a receiver can refuse the handshake after this side has finished it. */
function isTlsCode(code: string): boolean {
  return code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_') || code === 'EPROTO';
}

function inBrackets(code: string): string {
  return code === '' ? '' : ` (${code})`;
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[A-Z0-9_]{1,80}$/.test(code) ? code : '';
}

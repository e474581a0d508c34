import type { PostResult } from '#shared/domain/attempt.ts';
import { familyOf } from '#shared/domain/ip-address.ts';
import type { Phase } from './attempt-progress.ts';
import { errorCode } from './error-code.ts';
import type { ResponseFault } from './response-reader.ts';
import { dislikesHello } from './tls-context.ts';

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
  INVALID_CA: 'its chain has a certificate that may not issue others',
  INVALID_PURPOSE: 'it is not for servers',
  PATH_LENGTH_EXCEEDED: 'its chain is longer than an authority in it allows',
  CERT_CHAIN_TOO_LONG: 'its chain is too long',
};

/** What OpenSSL says about certificates that have no code of their own. */
const weakCertificates: readonly (readonly [RegExp, string])[] = [
  [/key too (?:small|weak)/i, 'its key, or one in its chain, is too short'],
  [/md too weak/i, 'its signature, or one in its chain, uses a weak algorithm'],
];

/** By the end of the code: the alert that the receiver sent, or what OpenSSL made of its bytes. */
const handshakeFaults: readonly (readonly [RegExp, string])[] = [
  [/PROTOCOL_VERSION$|UNSUPPORTED_PROTOCOL$/, 'the receiver offers neither TLS 1.3 nor TLS 1.2'],
  [/NO_APPLICATION_PROTOCOL$/, 'the receiver does not offer HTTP/1.1'],
  [/CERTIFICATE_REQUIRED$|ALERT_BAD_CERTIFICATE$/, 'the receiver asks for a client certificate'],
  [/UNRECOGNIZED_NAME$/, 'the receiver does not serve the host of the URL'],
  [/WRONG_VERSION_NUMBER$|HTTP_REQUEST$|PACKET_LENGTH_TOO_LONG$/, 'the port of the URL does not speak TLS'],
  [/HANDSHAKE_FAILURE$/, 'the receiver shares no cipher or group, or asks for a client certificate'],
  [/INSUFFICIENT_SECURITY$/, 'the receiver shares no cipher or group'],
  // Caddy, for example, and Go without a certificate.
  [/ALERT_INTERNAL_ERROR$/, 'the receiver may have no certificate for the host of the URL'],
  [/UNSAFE_LEGACY_RENEGOTIATION_DISABLED$/, 'the receiver does not know secure renegotiation (RFC 5746)'],
  [/^(?:ECONNRESET|ECONNABORTED|EPIPE)?$/, 'the receiver closed the connection'],
];

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

/** @param address one that is not public */
export function addressRefused(address: string): AttemptFailure {
  return new AttemptFailure(
    'address_refused',
    `The host name resolves to an ${familyOf(address)} address that is not public`,
  );
}

/** @param code error code of the DNS lookup */
export function dnsFailed(code: string): AttemptFailure {
  return new AttemptFailure('dns_failed', `The host name does not resolve${inBrackets(code)}`);
}

const responseFaults: Readonly<Record<ResponseFault, string>> = {
  not_http: 'The response does not begin with an HTTP/1.1 status line',
  no_status: 'The response has no valid HTTP status',
  headers_too_large: 'The response headers are larger than 64 KiB',
};

export function refusedResponse(fault: ResponseFault): AttemptFailure {
  return new AttemptFailure('invalid_response', responseFaults[fault]);
}

/** Maps an error of a socket to a failure, by the phase in which it occurred. */
export function failureOf(error: unknown, phase: Phase): AttemptFailure {
  const code = codeOf(error);
  if (phase === 'tlsMs' || isTlsCode(code)) return new AttemptFailure('tls_failed', tlsText(code, error), error);
  return new AttemptFailure('connection_failed', connectionText(code, phase), error);
}

/** Whether a handshake died as it does with a server that does not understand the ClientHello. */
export function isUnexplained(failure: unknown): failure is AttemptFailure {
  if (!(failure instanceof AttemptFailure) || failure.outcome !== 'tls_failed') return false;
  return dislikesHello(failure.cause);
}

/** The failure of a handshake that was tried again without post-quantum groups. */
export function failedTwice({ outcome, message, cause }: AttemptFailure): AttemptFailure {
  return new AttemptFailure(outcome, `${message}, with and without post-quantum groups`, cause);
}

function tlsText(code: string, error: unknown): string {
  const fault = certificateFaults[code] ?? weaknessOf(code, error);
  if (fault !== undefined) return `The certificate of the receiver was rejected: ${fault}${inBrackets(code)}`;
  const cause = handshakeFaults.find(([pattern]) => pattern.test(code))?.[1];
  return `The TLS handshake failed${cause === undefined ? '' : `: ${cause}`}${inBrackets(code)}`;
}

function weaknessOf(code: string, error: unknown): string | undefined {
  if (code !== 'UNSPECIFIED' || !(error instanceof Error)) return undefined;
  return weakCertificates.find(([pattern]) => pattern.test(error.message))?.[1] ?? 'it cannot be verified';
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
  const code = errorCode(error);
  return /^[A-Z0-9_/]{1,80}$/.test(code) ? code : '';
}

import type { LoggedAttempt } from '#shared/domain/attempt.ts';

/** Statuses with which receivers refuse a request whose signature they cannot verify. */
const unverified: ReadonlySet<number> = new Set([400, 401, 403]);

const adviceByStatus: Readonly<Record<number, string>> = {
  400: 'Log why the receiver refuses the request: it may expect another body or signature',
  401: 'Verify with the current signing secret of this endpoint and ask for no other credential',
  403: 'Let the POST pass the login, firewall or filter in front of the receiver, which may refuse its body, and verify with the current signing secret of this endpoint',
  404: 'Register the URL with the path that the receiver serves',
  405: 'Accept POST requests at this URL',
  406: 'Let the POST pass the firewall or filter in front of the receiver, which may refuse its body',
  410: 'Register the URL with the path that the receiver serves',
  413: 'Accept bodies of at least 64 KiB',
  415: 'Accept the content type application/json, in the receiver and in a firewall in front of it',
  429: 'Put events on a queue of your own and answer 2xx before processing them',
};

const chainAdvice = 'Send the intermediate certificates too: configure the full chain of the certificate authority';
const publicAuthorityAdvice = 'Use a certificate of a public certificate authority';

const adviceByCertificateFault: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'Renew the certificate',
  CERT_NOT_YET_VALID: 'Check the dates of the certificate',
  CERT_REVOKED: 'Replace the certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: publicAuthorityAdvice,
  SELF_SIGNED_CERT_IN_CHAIN: publicAuthorityAdvice,
  UNABLE_TO_GET_ISSUER_CERT: chainAdvice,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: chainAdvice,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: chainAdvice,
  ERR_TLS_CERT_ALTNAME_INVALID: 'Use a certificate for this host, or register the host that it names',
  UNSPECIFIED: 'Use a certificate with a key and a signature of today',
};

const adviceByHandshakeFault: readonly (readonly [RegExp, string])[] = [
  [/not offer HTTP\/1\.1/, 'Offer HTTP/1.1 beside HTTP/2'],
  [/receiver asks for a client certificate/, 'Ask for no client certificate: verify the signature of the request'],
  [/shares no cipher/, 'Offer ciphers of today, such as ECDHE with AES-GCM, and ask for no client certificate'],
  [/no certificate for the host/, 'Give the receiver a certificate for the host of the URL'],
  [/secure renegotiation/, 'Update what terminates TLS for the receiver'],
  [/not speak TLS/, 'Serve TLS on the port of the URL'],
];

type Failure = Pick<LoggedAttempt, 'outcome' | 'responseStatus' | 'error'>;

const adviceByOutcome: Readonly<Record<string, (failure: Failure, handshake: boolean) => string>> = {
  rejected: ({ responseStatus, error }, handshake) =>
    error?.endsWith('challenge for browsers')
      ? 'Exempt the path of the URL from the bot protection in front of the receiver, which did not get the request'
      : adviceOnStatus(responseStatus ?? 0, handshake),
  timed_out: ({ error }) =>
    error?.includes('response headers')
      ? 'Answer 2xx at once and process the event afterwards'
      : 'Check that the host accepts connections from the internet on this port',
  address_refused: () => 'Use an https URL whose host has public addresses only',
  dns_failed: () => 'Check the spelling of the host and its DNS records',
  connection_failed: () =>
    'Check that the receiver runs, listens on this port, and that no firewall or proxy closes the connection',
  tls_failed: ({ error }) =>
    adviceByCertificateFault[codeIn(error)] ??
    adviceByHandshakeFault.find(([fault]) => fault.test(error ?? ''))?.[1] ??
    'Offer TLS 1.2 or later with a certificate of a public certificate authority',
  invalid_response: () => 'Answer with HTTP/1.1 and headers of at most 64 KiB',
};

/**
 * What a customer can do about a failed attempt: a sentence without a final period.
 *
 * @param handshake whether the attempt was the handshake of a registration
 * @returns `null` when there is nothing to do
 */
export function failureAdvice(failure: Failure, handshake: boolean): string | null {
  return adviceByOutcome[failure.outcome]?.(failure, handshake) ?? null;
}

function adviceOnStatus(status: number, handshake: boolean): string {
  if (handshake && unverified.has(status))
    return 'The handshake comes before you know the signing secret: answer webhook.test with 2xx without verifying it';
  if (status >= 300 && status <= 399) return 'Redirects are not followed: register the URL that it leads to';
  if (status >= 500) return 'Look for the error in the log of the receiver or of its proxy';
  return adviceByStatus[status] ?? 'Answer with a 2xx status';
}

/** The code in brackets at the end of the text, which names the fault of a certificate. */
function codeIn(error: string | null): string {
  return /\(([A-Z0-9_]+)\)$/.exec(error ?? '')?.[1] ?? '';
}

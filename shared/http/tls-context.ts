import { constants } from 'node:crypto';
import { createSecureContext, DEFAULT_CIPHERS, type SecureContext } from 'node:tls';
import { errorCode } from './error-code.ts';

export type TlsContexts = {
  readonly ordinary: SecureContext;
  /** For a server that does not understand the ordinary ClientHello. */
  readonly classical: () => SecureContext;
};

let shared: TlsContexts | undefined;

/**
 * The TLS contexts of the process: TLS 1.2 or newer, with the default roots and those of `NODE_EXTRA_CA_CERTS`. A
 * context per connection would double the cost of a new connection.
 */
export function sharedTlsContexts(): TlsContexts {
  shared ??= createTlsContexts();
  return shared;
}

/**
 * A ClientHello has a key share of the first group, and one for the post-quantum group is larger than a TCP segment.
 * Some servers and firewalls read only the first segment. A server that prefers that group can still ask for it, with
 * another round trip.
 */
export const groups = 'X25519:X25519MLKEM768:P-256:X448:P-384:P-521';
/** For another handshake, when the first one died. */
export const classicalGroups = 'X25519:P-256:X448:P-384:P-521';

const died =
  /^(?:ECONNRESET|ECONNABORTED|EPIPE)?$|ALERT_(?:HANDSHAKE_FAILURE|ILLEGAL_PARAMETER|DECODE_ERROR|INTERNAL_ERROR|UNEXPECTED_MESSAGE)$/;

/** Whether a handshake ended as it does with a server that does not understand the ClientHello. */
export const dislikesHello = (error: unknown): boolean => died.test(errorCode(error));

/** @param ca roots in PEM to trust instead of the default ones */
export function createTlsContexts(ca?: string): TlsContexts {
  let classical: SecureContext | undefined;
  return {
    ordinary: createTlsContext(groups, ca),
    classical: () => {
      classical ??= createTlsContext(classicalGroups, ca);
      return classical;
    },
  };
}

/**
 * A handshake takes time from other attempts, so a receiver must not be able to make it expensive. With DHE it could
 * choose the size of the group; with renegotiation it could demand one handshake after another. It can still send key
 * updates until the deadline, which cost it as much, and a long certificate chain. Node passes the chain to OpenSSL
 * before this service sees its size, so only OpenSSL limits it: to 100 KB, about half a second of CPU per connection.
 */
function createTlsContext(ecdhCurve: string, ca: string | undefined): SecureContext {
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ciphers: `${DEFAULT_CIPHERS}:!DHE`,
    ecdhCurve,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ...(ca === undefined ? {} : { ca }),
  });
}

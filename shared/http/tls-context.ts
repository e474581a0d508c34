import { constants } from 'node:crypto';
import { createSecureContext, DEFAULT_CIPHERS, type SecureContext } from 'node:tls';

let shared: SecureContext | undefined;

/**
 * The TLS context of the process: TLS 1.2 or newer, with the default roots and those of `NODE_EXTRA_CA_CERTS`. A
 * context per connection would double the cost of a new connection.
 */
export function sharedTlsContext(): SecureContext {
  shared ??= createTlsContext();
  return shared;
}

/**
 * A handshake takes time from other attempts, so a receiver must not be able to make it expensive. With DHE it could
 * choose the size of the group; with renegotiation it could demand one handshake after another. It can still send key
 * updates until the deadline, which cost it as much, and a long certificate chain. Node passes the chain to OpenSSL
 * before this service sees its size, so only OpenSSL limits it: to 100 KB, about half a second of CPU per connection.
 *
 * @param ca roots in PEM to trust instead of the default ones
 */
export function createTlsContext(ca?: string): SecureContext {
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ciphers: `${DEFAULT_CIPHERS}:!DHE`,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ...(ca === undefined ? {} : { ca }),
  });
}

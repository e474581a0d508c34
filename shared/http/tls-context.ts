import { constants } from 'node:crypto';
import { createSecureContext, DEFAULT_CIPHERS, type SecureContext } from 'node:tls';

let shared: SecureContext | undefined;

/**
 * The process's one TLS context: TLS 1.2 or newer, with the default roots, which include those that
 * `NODE_EXTRA_CA_CERTS` names. A context of its own would double what a new connection costs.
 */
export function sharedTlsContext(): SecureContext {
  shared ??= createTlsContext();
  return shared;
}

/**
 * A handshake takes the time of other attempts, so a receiver must not make it dear: with DHE it chooses the size of
 * the group, by renegotiation it asks for one handshake after the other. What is left to it are key updates until the
 * deadline, which cost it as much, and the length of its chain. Node hands the chain to OpenSSL before any code of ours
 * sees its size, so only OpenSSL limits it: to 100 KB, about half a second of CPU for each new connection.
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

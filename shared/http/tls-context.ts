import { createSecureContext, type SecureContext } from 'node:tls';

let shared: SecureContext | undefined;

/**
 * The process's one TLS context: TLS 1.2 or newer, with the default roots, which include those that
 * `NODE_EXTRA_CA_CERTS` names. A context of its own would double what a new connection costs.
 */
export function sharedTlsContext(): SecureContext {
  shared ??= createTlsContext();
  return shared;
}

/** @param ca roots in PEM to trust instead of the default ones */
export function createTlsContext(ca?: string): SecureContext {
  return createSecureContext({ minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) });
}

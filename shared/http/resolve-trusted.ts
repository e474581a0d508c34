import { lookup } from 'node:dns/promises';
import { lookupErrorCode } from './error-code.ts';

/** All addresses that the system has for a name, those of its hosts file included. Rejects without any. */
export type SystemLookup = (hostname: string) => Promise<readonly string[]>;

/** Whether a name is loopback by definition: name servers do not know it, and hosts files often have one family only. */
export function isLocalhostName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost');
}

/**
 * Looks up a name as the other programs of this machine do, for a developer's own server. Never for the host of a
 * customer: the system's lookup cannot be cancelled and occupies one of four threads.
 */
export async function resolveTrusted(hostname: string, signal: AbortSignal, systemLookup: SystemLookup = lookupAll) {
  if (isLocalhostName(hostname)) return { ok: true, addresses: ['127.0.0.1', '::1'] } as const;
  const found = systemLookup(hostname).then(
    (addresses) => ({ ok: true, addresses }) as const,
    (error: unknown) => ({ ok: false, code: lookupErrorCode(error) }) as const,
  );
  return await Promise.race([found, outOfTime(signal)]);
}

async function lookupAll(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true, order: 'ipv4first' });
  return [...new Set(found.map(({ address }) => address))];
}

function outOfTime(signal: AbortSignal): Promise<{ readonly ok: false; readonly code: string }> {
  return new Promise((resolve) => {
    const end = () => resolve({ ok: false, code: 'ETIMEOUT' });
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

import { Resolver } from 'node:dns/promises';
import { resolveTrusted, type SystemLookup } from './resolve-trusted.ts';

type ResolvedHost =
  /** Every address of the host, IPv4 first. Never empty. */
  | { readonly ok: true; readonly addresses: readonly string[] }
  /** The name does not resolve, or not in time. */
  | { readonly ok: false; readonly code: string };

/** Looks up a host name. Never rejects; ends at once when the signal aborts. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<ResolvedHost>;

export type ResolveHostOptions = {
  readonly trustedOrigins: ReadonlySet<string>;
  /** Name servers as `address:port`; the system's by default. */
  readonly servers?: readonly string[];
  /** Milliseconds to wait for the second address family after the first has addresses. Default 500. */
  readonly graceMs?: number;
  /** Looks up the names of trusted origins; `dns.lookup` by default. */
  readonly systemLookup?: SystemLookup;
};

type Answer = { readonly addresses: readonly string[]; readonly code: string };

const noAnswer: Answer = { addresses: [], code: 'ETIMEOUT' };

/**
 * Queries the name servers directly. `dns.lookup` would occupy one of four threads per lookup, and a few unresponsive
 * names would block all others. Each lookup has its own resolver, so that it can be cancelled alone.
 */
export function createResolveHost(options: ResolveHostOptions): ResolveHost {
  const trustedNames = new Set([...options.trustedOrigins].map((origin) => new URL(origin).hostname));
  return async (hostname, signal) => {
    if (trustedNames.has(hostname)) return await resolveTrusted(hostname, signal, options.systemLookup);
    const resolver = new Resolver({ timeout: 2_000, tries: 3 });
    if (options.servers !== undefined) resolver.setServers(options.servers);
    const [ipv4, ipv6] = await bothFamilies(resolver, hostname, signal, options.graceMs ?? 500);
    resolver.cancel();
    const addresses = [...ipv4.addresses, ...ipv6.addresses];
    return addresses.length > 0 ? { ok: true, addresses } : { ok: false, code: ipv4.code };
  };
}

/** Some name servers drop queries for IPv6 addresses, so a slow family must not use up the deadline. */
function bothFamilies(
  resolver: Resolver,
  hostname: string,
  signal: AbortSignal,
  graceMs: number,
): Promise<[Answer, Answer]> {
  return new Promise((resolve) => {
    const answers: [Answer | null, Answer | null] = [null, null];
    let grace: NodeJS.Timeout | undefined;
    const finish = () => {
      clearTimeout(grace);
      signal.removeEventListener('abort', finish);
      resolve([answers[0] ?? noAnswer, answers[1] ?? noAnswer]);
    };
    const note = (family: 0 | 1, answer: Answer) => {
      answers[family] = answer;
      if (answers[1 - family]) {
        finish();
      } else if (answer.addresses.length > 0) {
        grace = setTimeout(finish, graceMs);
      }
    };
    signal.addEventListener('abort', finish, { once: true });
    void answered(resolver.resolve4(hostname)).then((answer) => note(0, answer));
    void answered(resolver.resolve6(hostname)).then((answer) => note(1, answer));
    if (signal.aborted) finish();
  });
}

async function answered(lookup: Promise<string[]>): Promise<Answer> {
  try {
    return { addresses: await lookup, code: '' };
  } catch (error) {
    return { addresses: [], code: codeOf(error) };
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'EUNKNOWN';
}

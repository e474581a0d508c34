import { Resolver } from 'node:dns/promises';
import { lookupErrorCode } from './error-code.ts';
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
  /** Looks up the names of trusted origins; `dns.lookup` by default. */
  readonly systemLookup?: SystemLookup;
};

type Answer = { readonly addresses: readonly string[]; readonly code: string };

const noAnswer: Answer = { addresses: [], code: 'ETIMEOUT' };

/**
 * Milliseconds until a lost question is asked again the first time; each time after that, twice as long. Shorter than
 * `slowAfter`: a lost packet is not the fault of the endpoint.
 */
const firstTimeoutMs = 700;
const tries = 4;

/**
 * Codes of a name server that is in trouble itself, while another try may succeed: c-ares takes them as final. And the
 * milliseconds before each other try.
 */
const transientCodes: readonly string[] = ['ESERVFAIL', 'EREFUSED', 'ENOTIMP', 'ECONNREFUSED', 'EBADRESP'];
const pausesMs = [200, 400, 800] as const;

/** Milliseconds to wait for IPv6 addresses once there are IPv4 addresses. */
const graceMs = 500;

/** Milliseconds to wait for IPv6 addresses when there are no IPv4 addresses. */
const onlyHopeMs = 2_000;

/**
 * Queries the name servers directly. `dns.lookup` would occupy one of four threads per lookup, and a few unresponsive
 * names would block all others. Each lookup has its own resolver, so that it can be cancelled alone.
 */
export function createResolveHost(options: ResolveHostOptions): ResolveHost {
  const trustedNames = new Set([...options.trustedOrigins].map((origin) => new URL(origin).hostname));
  return async (hostname, signal) => {
    if (trustedNames.has(hostname)) return await resolveTrusted(hostname, signal, options.systemLookup);
    const resolver = new Resolver({ timeout: firstTimeoutMs, tries });
    if (options.servers !== undefined) resolver.setServers(options.servers);
    const [ipv4, ipv6] = await bothFamilies(resolver, hostname, signal);
    resolver.cancel();
    const addresses = [...ipv4.addresses, ...ipv6.addresses];
    return addresses.length > 0 ? { ok: true, addresses } : { ok: false, code: ipv4.code };
  };
}

/**
 * Asks for both families at once. Some name servers drop questions about IPv6 addresses, so these may take only a part
 * of the deadline. IPv4 addresses are awaited as long as they may come: not every function can use IPv6.
 */
function bothFamilies(resolver: Resolver, hostname: string, signal: AbortSignal): Promise<[Answer, Answer]> {
  return new Promise((resolve) => {
    let ipv4: Answer | null = null;
    let ipv6: Answer | null = null;
    let grace: NodeJS.Timeout | undefined;
    let isOver = false;
    const finish = () => {
      isOver = true;
      clearTimeout(grace);
      signal.removeEventListener('abort', finish);
      resolve([ipv4 ?? noAnswer, ipv6 ?? noAnswer]);
    };
    signal.addEventListener('abort', finish, { once: true });
    const goesOn = () => !isOver;
    void ask(() => resolver.resolve4(hostname), goesOn).then((answer) => {
      ipv4 = answer;
      if (ipv6 !== null) finish();
      else if (!isOver) grace = setTimeout(finish, answer.addresses.length > 0 ? graceMs : onlyHopeMs);
    });
    void ask(() => resolver.resolve6(hostname), goesOn).then((answer) => {
      ipv6 = answer;
      if (ipv4 !== null) finish();
    });
    if (signal.aborted) finish();
  });
}

/** Asks again while the name server is in trouble. */
async function ask(lookup: () => Promise<string[]>, goesOn: () => boolean): Promise<Answer> {
  for (const pauseMs of pausesMs) {
    const answer = await answered(lookup());
    if (!transientCodes.includes(answer.code)) return answer;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (!goesOn()) return answer;
  }
  return answered(lookup());
}

async function answered(lookup: Promise<string[]>): Promise<Answer> {
  try {
    return { addresses: await lookup, code: '' };
  } catch (error) {
    return { addresses: [], code: lookupErrorCode(error) };
  }
}

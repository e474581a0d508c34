import { parseEndpointUrl } from '#shared/domain/endpoint-url.ts';
import { familyOf } from '#shared/domain/ip-address.ts';
import { isPublicAddress } from '#shared/domain/public-address.ts';
import type { CheckUrl } from '#shared/operations/ports.ts';
import { startDeadline } from './deadline.ts';
import type { ResolveHost } from './resolve-host.ts';

/** Time limit of the DNS lookup; after it, the host counts as unresolved. */
const lookupMs = 5_000;

export type UrlCheckDeps = {
  readonly resolve: ResolveHost;
  readonly trustedOrigins: ReadonlySet<string>;
};

/**
 * Checks a URL at registration. A host that does not resolve passes, because the handshake will fail and report it. The
 * result holds only for this moment: every attempt checks again and connects to the address that it checked.
 */
export function createUrlCheck(deps: UrlCheckDeps): CheckUrl {
  return async (text) => {
    const parsed = parseEndpointUrl(text, deps);
    if (!parsed.ok) return parsed;
    const { href, hostname, isAddress, origin } = parsed.url;
    if (isAddress || deps.trustedOrigins.has(origin)) return { ok: true, url: href };
    const refused = await findNonPublic(hostname, deps);
    if (refused === undefined) return { ok: true, url: href };
    const detail = `The host of the URL must resolve to public addresses only; one of its ${familyOf(refused)} addresses is not public`;
    return { ok: false, detail };
  };
}

/** @returns an address of the host that is not public */
async function findNonPublic(hostname: string, deps: UrlCheckDeps): Promise<string | undefined> {
  const deadline = startDeadline(lookupMs);
  const resolved = await deadline.limit(deps.resolve(hostname, deadline.signal));
  deadline.end();
  return resolved?.ok ? resolved.addresses.find((address) => !isPublicAddress(address)) : undefined;
}

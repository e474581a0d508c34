import type { PortalLink } from '#shared/domain/portal-link.ts';
import type { Clock } from '#shared/operations/ports.ts';

/** Keeps an earlier time; `at` in epoch milliseconds. @returns `null` when the customer has no link with this id */
export type MarkPortalLinkRevoked = (
  customerId: string,
  id: string,
  at: number,
) => Promise<PortalLink | null>;

type Deps = { readonly now: Clock; readonly markRevoked: MarkPortalLinkRevoked };

/** Ends a link before its time, from the next request on. Repeating it changes nothing. */
export function revokePortalLink(deps: Deps) {
  return (customerId: string, id: string): Promise<PortalLink | null> =>
    deps.markRevoked(customerId, id, deps.now());
}

import type { PortalLink } from '#shared/domain/portal-link.ts';
import type { ReadCustomer } from './list-api-keys.ts';

/** The links of a customer, newest first, until a day after their end. */
export type ReadPortalLinks = (customerId: string) => Promise<readonly PortalLink[]>;

type Deps = { readonly readCustomer: ReadCustomer; readonly readPortalLinks: ReadPortalLinks };

/** @returns `null` when the customer does not exist */
export function listPortalLinks(deps: Deps) {
  return async (customerId: string): Promise<readonly PortalLink[] | null> =>
    (await deps.readCustomer(customerId)) === null ? null : deps.readPortalLinks(customerId);
}

import type { Table } from '#shared/aws/clients.ts';
import { idPrefixes } from '#shared/domain/ids.ts';
import type { PortalLink } from '#shared/domain/portal-link.ts';
import { type ItemKey, portalLinkKey, portalLinkListKey } from '../keys.ts';
import { readNewestFirst, rowsBelow } from '../query-pages.ts';
import { readRow } from '../stored-row.ts';
import { putsOf, revokeListed } from './credential-rows.ts';
import { fromPortalLinkItem, toPortalLinkFacts } from './portal-link-item.ts';

/**
 * Stores a link so that its credential works from then on. Both rows in one transaction: a link that works is always in
 * the list of its customer, where it can be revoked.
 */
export function storePortalLink({ client, name }: Table, link: PortalLink): Promise<void> {
  return client.transactWrite({ TransactItems: putsOf(name, rowsOf(link), toPortalLinkFacts(link)) });
}

/** Finds a link by the hash of its credential; strongly consistent, so that a revocation takes effect at once. */
export function findPortalLink(table: Table, hash: string): Promise<PortalLink | null> {
  return readRow(table, portalLinkKey(hash), fromPortalLinkItem);
}

/** The links of a customer, newest first, until a day after their end. */
export function readPortalLinks(table: Table, customerId: string): Promise<readonly PortalLink[]> {
  return readNewestFirst(table, rowsBelow(portalLinkListKey(customerId, idPrefixes.portalLink)), fromPortalLinkItem);
}

/**
 * Ends a link before its time, from the next request on. Keeps an earlier time; `at` in epoch milliseconds.
 *
 * @returns `null` when the customer has no link with this id
 */
export function markPortalLinkRevoked(
  table: Table,
  customerId: string,
  id: string,
  at: number,
): Promise<PortalLink | null> {
  return revokeListed(table, portalLinkListKey(customerId, id), { read: fromPortalLinkItem, rowsOf }, at);
}

/** The row that requests read, and the row in the list of the customer. */
function rowsOf({ hash, customerId, id }: PortalLink): readonly ItemKey[] {
  return [portalLinkKey(hash), portalLinkListKey(customerId, id)];
}

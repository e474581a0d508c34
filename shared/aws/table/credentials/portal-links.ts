import type { Table } from '#shared/aws/clients.ts';
import { idPrefixes } from '#shared/domain/ids.ts';
import type { PortalLink } from '#shared/domain/portal-link.ts';
import type {
  MarkPortalLinkRevoked,
  ReadPortalLinks,
  StorePortalLink,
} from '#shared/operations/operator/create-portal-link.ts';
import { type ItemKey, portalLinkKey, portalLinkListKey } from '../keys.ts';
import { readNewestFirst, rowsBelow } from '../query-pages.ts';
import { readRow } from '../stored-row.ts';
import { putsOf, revokeListed } from './credential-rows.ts';
import { fromPortalLinkItem, toPortalLinkFacts } from './portal-link-item.ts';

/** Both rows in one transaction: a link that works is always in the list of its customer, where it can be revoked. */
export function storePortalLink({ client, name }: Table): StorePortalLink {
  return (link) =>
    client.transactWrite({ TransactItems: putsOf(name, rowsOf(link), toPortalLinkFacts(link)) });
}

/** Finds a link by the hash of its credential; strongly consistent, so that a revocation takes effect at once. */
export function findPortalLink(table: Table) {
  return (hash: string): Promise<PortalLink | null> =>
    readRow(table, portalLinkKey(hash), fromPortalLinkItem);
}

export function readPortalLinks(table: Table): ReadPortalLinks {
  return (customerId) =>
    readNewestFirst(
      table,
      rowsBelow(portalLinkListKey(customerId, idPrefixes.portalLink)),
      fromPortalLinkItem,
    );
}

export function markPortalLinkRevoked(table: Table): MarkPortalLinkRevoked {
  return (customerId, id, at) =>
    revokeListed(table, portalLinkListKey(customerId, id), { read: fromPortalLinkItem, rowsOf }, at);
}

/** The row that requests read, and the row in the list of the customer. */
function rowsOf({ hash, customerId, id }: PortalLink): readonly ItemKey[] {
  return [portalLinkKey(hash), portalLinkListKey(customerId, id)];
}

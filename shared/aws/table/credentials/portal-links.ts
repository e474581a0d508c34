import type { Table } from '#shared/aws/clients.ts';
import { idPrefixes } from '#shared/domain/ids.ts';
import type { PortalLink } from '#shared/domain/portal-link.ts';
import type {
  MarkPortalLinkRevoked,
  ReadPortalLinks,
  StorePortalLink,
} from '#shared/operations/operator/create-portal-link.ts';
import { type ItemKey, portalLinkKey, portalLinkListKey } from '../keys.ts';
import { queryAll, rowsBelow } from '../query-pages.ts';
import { readAll, readRow } from '../stored-row.ts';
import { putsOf, revokeRows } from './credential-rows.ts';
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
  return async (customerId) => {
    const ofCustomer = rowsBelow(portalLinkListKey(customerId, idPrefixes.portalLink));
    return readAll(
      table,
      await queryAll(table, { ...ofCustomer, ScanIndexForward: false }),
      fromPortalLinkItem,
    );
  };
}

/** Revokes a link in both of its rows. Keeps an earlier time. */
export function markPortalLinkRevoked(table: Table): MarkPortalLinkRevoked {
  return async (customerId, id, at) => {
    const listed = portalLinkListKey(customerId, id);
    const link = await readRow(table, listed, fromPortalLinkItem);
    if (link === null || link.revokedAt !== null) return link;
    return (await revokeRows(table, rowsOf(link), at)) ? readRow(table, listed, fromPortalLinkItem) : null;
  };
}

/** The row that requests read, and the row in the list of the customer. */
function rowsOf({ hash, customerId, id }: PortalLink): readonly ItemKey[] {
  return [portalLinkKey(hash), portalLinkListKey(customerId, id)];
}

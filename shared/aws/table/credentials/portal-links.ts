import type { Table } from '#shared/aws/clients.ts';
import type { PortalLink } from '#shared/domain/portal-link.ts';
import type { StorePortalLink } from '#shared/operations/operator/create-portal-link.ts';
import type { ReadPortalLinks } from '#shared/operations/operator/list-portal-links.ts';
import type { MarkPortalLinkRevoked } from '#shared/operations/operator/revoke-portal-link.ts';
import { failedConditions } from '../conditional-write.ts';
import { type ItemKey, portalLinkKey, portalLinkListKey } from '../keys.ts';
import { queryPages } from '../query-pages.ts';
import { readAll } from '../stored-row.ts';
import { fromPortalLinkItem, toPortalLinkFacts } from './portal-link-item.ts';

/** Both rows in one transaction: a link that works is always in the list of its customer, where it can be revoked. */
export function storePortalLink(table: Table): StorePortalLink {
  return async (link) => {
    const facts = toPortalLinkFacts(link);
    const TransactItems = rowsOf(link).map((row) => ({
      Put: { TableName: table.name, Item: { ...row, ...facts } },
    }));
    await table.client.transactWrite({ TransactItems });
  };
}

/** Finds a link by the hash of its credential; strongly consistent, so that a revocation takes effect at once. */
export function findPortalLink(table: Table) {
  return (hash: string): Promise<PortalLink | null> => readLink(table, portalLinkKey(hash));
}

export function readPortalLinks(table: Table): ReadPortalLinks {
  return async (customerId) => {
    const pages = queryPages(table, {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': portalLinkListKey(customerId, '').pk },
      ScanIndexForward: false,
      ConsistentRead: true,
    });
    const rows: unknown[] = [];
    for await (const page of pages) rows.push(...page);
    return readAll(table, rows, fromPortalLinkItem);
  };
}

/** Revokes a link in both of its rows. Keeps an earlier time. */
export function markPortalLinkRevoked(table: Table): MarkPortalLinkRevoked {
  return async (customerId, id, at) => {
    const listed = portalLinkListKey(customerId, id);
    const link = await readLink(table, listed);
    if (link === null || link.revokedAt !== null) return link;
    const TransactItems = rowsOf(link).map((Key) => ({
      Update: {
        TableName: table.name,
        Key,
        UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :at)',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':at': at },
      },
    }));
    try {
      await table.client.transactWrite({ TransactItems });
    } catch (error) {
      // A deletion of the customer removes the credential first, and the row of the list at its end.
      if (failedConditions(error) !== null) return null;
      throw error;
    }
    return await readLink(table, listed);
  };
}

/** The row that requests read, and the row in the list of the customer. */
function rowsOf({ hash, customerId, id }: PortalLink): readonly ItemKey[] {
  return [portalLinkKey(hash), portalLinkListKey(customerId, id)];
}

async function readLink(table: Table, Key: ItemKey): Promise<PortalLink | null> {
  const { Item } = await table.client.get({ TableName: table.name, Key, ConsistentRead: true });
  return Item === undefined ? null : fromPortalLinkItem(Item);
}

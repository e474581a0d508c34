import type { PortalLink } from '#shared/domain/portal-link.ts';
import type { StorePortalLink } from '#shared/operations/operator/create-portal-link.ts';
import type { MarkPortalLinkRevoked } from '#shared/operations/operator/revoke-portal-link.ts';
import type { Io } from './io.ts';
import type { MemoryTable } from './memory-table.ts';

export function storePortalLink(table: MemoryTable, io: Io): StorePortalLink {
  return async (link) => {
    await io({ service: 'table', name: 'store portal link', transaction: { done: true } }, () => {
      table.portalLinks.set(link.id, link);
      return true;
    });
  };
}

export function findPortalLink(table: MemoryTable, io: Io) {
  return (hash: string): Promise<PortalLink | null> =>
    io(
      { service: 'table', name: 'find portal link' },
      () => [...table.portalLinks.values()].find((link) => link.hash === hash) ?? null,
    );
}

/** A read, a transaction, and a read of what it left. */
export function markPortalLinkRevoked(table: MemoryTable, io: Io): MarkPortalLinkRevoked {
  const read = (customerId: string, id: string) =>
    io({ service: 'table', name: 'read portal link' }, () => {
      const link = table.portalLinks.get(id);
      return link?.customerId === customerId ? link : null;
    });
  return async (customerId, id, at) => {
    const link = await read(customerId, id);
    if (link === null || link.revokedAt !== null) return link;
    const isDone = await io({ service: 'table', name: 'revoke link', transaction: { done: true } }, () => {
      const current = table.portalLinks.get(id);
      if (current === undefined) return false;
      table.portalLinks.set(id, { ...current, revokedAt: current.revokedAt ?? at });
      return true;
    });
    return isDone ? await read(customerId, id) : null;
  };
}

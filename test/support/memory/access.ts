import { customerMemory } from '#shared/domain/customer.ts';
import { isRecent, type Moment } from '#shared/domain/moment.ts';
import type { Clock } from '#shared/operations/ports.ts';
import type { AskTable } from './io.ts';
import type { MemoryTable } from './memory-table.ts';
import type { TableNeeds } from './needs.ts';

/** When a warm function read that a customer exists. */
export type CustomerCache = Map<string, Moment>;

/** A warm function and its clocks. */
export type Warm = { readonly known: CustomerCache; readonly now: Clock; readonly monotonic: Clock };

/** Customers, and what lets somebody act for one. */
export function accessPorts(table: MemoryTable, ask: AskTable, warm: Warm) {
  const { portalLinks, connections } = table;
  const readLink = (customerId: string, id: string) =>
    ask('read portal link', () => {
      const link = portalLinks.get(id);
      return link?.customerId === customerId ? link : null;
    });
  return {
    isCustomerKnown: async (customerId) => {
      const at = { now: warm.now(), monotonic: warm.monotonic() };
      const readAt = warm.known.get(customerId);
      if (readAt !== undefined && isRecent(readAt, at, customerMemory)) return true;
      const isThere = await ask('find customer', () => table.hasCustomer(customerId));
      if (isThere) warm.known.set(customerId, at);
      return isThere;
    },

    storeConnection: (connection) => {
      const store = (): boolean => {
        const { id, organization } = connection;
        if (organization !== null && !table.hasCustomer(organization)) return false;
        connections.set(id, connection);
        return true;
      };
      return ask('store connection', store, { done: true });
    },

    readConnection: (id) => ask('read connection', () => connections.get(id) ?? null),

    markConnectionRevoked: (id, at) =>
      ask('revoke connection', () => {
        const connection = connections.get(id);
        if (connection === undefined) return null;
        const revoked = { ...connection, revokedAt: connection.revokedAt ?? at };
        connections.set(id, revoked);
        return revoked;
      }),

    storePortalLink: async (link) => {
      const store = (): boolean => portalLinks.set(link.id, link).has(link.id);
      await ask('store portal link', store, { done: true });
    },

    findPortalLink: (hash) =>
      ask('find portal link', () => [...portalLinks.values()].find((link) => link.hash === hash) ?? null),

    /** A read, a transaction, and a read of what it left. */
    markPortalLinkRevoked: async (customerId, id, at) => {
      const link = await readLink(customerId, id);
      if (link === null || link.revokedAt !== null) return link;
      const revoke = (): boolean => {
        const current = portalLinks.get(id);
        if (current === undefined) return false;
        portalLinks.set(id, { ...current, revokedAt: current.revokedAt ?? at });
        return true;
      };
      const isDone = await ask('revoke link', revoke, { done: true });
      return isDone ? await readLink(customerId, id) : null;
    },
  } satisfies Partial<TableNeeds>;
}

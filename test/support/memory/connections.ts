import type { StoreConnection } from '#shared/operations/operator/create-connection.ts';
import type { MarkConnectionRevoked } from '#shared/operations/operator/revoke-connection.ts';
import type { ReadConnection } from '#shared/operations/operator/select-organization.ts';
import type { Io } from './io.ts';
import type { MemoryTable } from './memory-table.ts';

export function storeConnection(table: MemoryTable, io: Io): StoreConnection {
  return (connection) =>
    io({ service: 'table', name: 'store connection', transaction: { done: true } }, () => {
      const { organization } = connection;
      if (organization !== null && !table.hasCustomer(organization)) return false;
      table.connections.set(connection.id, connection);
      return true;
    });
}

export function readConnection(table: MemoryTable, io: Io): ReadConnection {
  return (id) => io({ service: 'table', name: 'read connection' }, () => table.connections.get(id) ?? null);
}

export function markRevoked(table: MemoryTable, io: Io): MarkConnectionRevoked {
  return (id, at) =>
    io({ service: 'table', name: 'revoke connection' }, () => {
      const connection = table.connections.get(id);
      if (connection === undefined) return null;
      const revoked = { ...connection, revokedAt: connection.revokedAt ?? at };
      table.connections.set(id, revoked);
      return revoked;
    });
}

import type { Table } from '#shared/aws/clients.ts';
import {
  markAccessRevoked,
  readConnection,
  storeConnection,
  storeOrganization,
} from '#shared/aws/table/credentials/connections.ts';
import type { Connection } from '#shared/domain/connection.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { Needs } from '#shared/operations/needs.ts';

type CreateDeps = Pick<Needs, 'table' | 'now' | 'randomBytes'>;

/** Creates a connection of a user. @returns `null` when the organization is not a customer */
export function createConnection({ table, now, randomBytes }: CreateDeps) {
  return async (user: string, organization: string | null): Promise<Connection | null> => {
    const createdAt = now();
    const connection: Connection = {
      id: makeId('connection', createdAt, randomBytes(10)),
      user,
      organization,
      createdAt,
      revokedAt: null,
      accessRevokedAt: null,
    };
    return (await storeConnection(table, connection)) ? connection : null;
  };
}

/** Why an operator's change of a connection was refused. */
export type ConnectionRefusal =
  | 'unknown_connection'
  | 'unknown_organization'
  | 'connection_revoked'
  | 'organization_not_selected';

/** Lets the tokens of a connection act for a customer, even after access to an earlier one was revoked. */
export async function selectOrganization(
  table: Table,
  id: string,
  organization: string,
): Promise<Connection | ConnectionRefusal> {
  const isStored = await storeOrganization(table, id, organization);
  // Read only now, because the connection may be revoked at any moment before the write.
  const connection = await readConnection(table, id);
  if (connection === null) return 'unknown_connection';
  if (connection.revokedAt !== null) return 'connection_revoked';
  return isStored ? connection : 'unknown_organization';
}

/**
 * Records that the user of a connection left its organization. Repeating it changes nothing.
 *
 * @param at epoch milliseconds
 */
export async function revokeAccess(table: Table, id: string, at: number): Promise<Connection | ConnectionRefusal> {
  const connection = await readConnection(table, id);
  if (connection === null) return 'unknown_connection';
  if (connection.organization === null) return 'organization_not_selected';
  return (await markAccessRevoked(table, id, at)) ?? 'unknown_connection';
}

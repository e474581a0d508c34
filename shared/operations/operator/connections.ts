import type { Connection } from '#shared/domain/connection.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { Clock, RandomBytes } from '#shared/operations/ports.ts';

/** @returns `false` when the organization is not a customer */
export type StoreConnection = (connection: Connection) => Promise<boolean>;

/**
 * Revokes a connection permanently: its tokens are refused from the next request on. Keeps an earlier time; `at` in epoch
 * milliseconds.
 *
 * @returns `null` when the connection does not exist
 */
export type MarkConnectionRevoked = (id: string, at: number) => Promise<Connection | null>;

type CreateDeps = {
  readonly now: Clock;
  readonly randomBytes: RandomBytes;
  readonly storeConnection: StoreConnection;
};

/** Creates a connection of a user. @returns `null` when the organization is not a customer */
export function createConnection(deps: CreateDeps) {
  return async (user: string, organization: string | null): Promise<Connection | null> => {
    const createdAt = deps.now();
    const connection: Connection = {
      id: makeId('connection', createdAt, deps.randomBytes(10)),
      user,
      organization,
      createdAt,
      revokedAt: null,
      accessRevokedAt: null,
    };
    return (await deps.storeConnection(connection)) ? connection : null;
  };
}

/** Why an operator's change of a connection was refused. */
export type ConnectionRefusal =
  | 'unknown_connection'
  | 'unknown_organization'
  | 'connection_revoked'
  | 'organization_not_selected';

/** Strongly consistent, so that a revocation takes effect at once. */
export type ReadConnection = (id: string) => Promise<Connection | null>;

/** Also clears a revocation of access. @returns `false` when the organization is not a customer */
export type StoreOrganization = (id: string, organization: string) => Promise<boolean>;

type SelectDeps = { readonly readConnection: ReadConnection; readonly storeOrganization: StoreOrganization };

/** Lets the tokens of a connection act for a customer, even after access to an earlier one was revoked. */
export function selectOrganization(deps: SelectDeps) {
  return async (id: string, organization: string): Promise<Connection | ConnectionRefusal> => {
    const connection = await deps.readConnection(id);
    if (connection === null) return 'unknown_connection';
    if (connection.revokedAt !== null) return 'connection_revoked';
    const stored = await deps.storeOrganization(id, organization);
    return stored ? { ...connection, organization, accessRevokedAt: null } : 'unknown_organization';
  };
}

/** Keeps an earlier time; `at` in epoch milliseconds. @returns `null` when the connection does not exist */
export type MarkAccessRevoked = (id: string, at: number) => Promise<Connection | null>;

type RevokeDeps = {
  readonly now: Clock;
  readonly readConnection: ReadConnection;
  readonly markAccessRevoked: MarkAccessRevoked;
};

/** Records that the user of a connection left its organization. Repeating it changes nothing. */
export function revokeAccess(deps: RevokeDeps) {
  return async (id: string): Promise<Connection | ConnectionRefusal> => {
    const connection = await deps.readConnection(id);
    if (connection === null) return 'unknown_connection';
    if (connection.organization === null) return 'organization_not_selected';
    return (await deps.markAccessRevoked(id, deps.now())) ?? 'unknown_connection';
  };
}

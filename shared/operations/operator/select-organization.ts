import type { Connection } from '#shared/domain/connection.ts';

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

type Deps = { readonly readConnection: ReadConnection; readonly storeOrganization: StoreOrganization };

/** Lets the tokens of a connection act for a customer, even after access to an earlier one was revoked. */
export function selectOrganization(deps: Deps) {
  return async (id: string, organization: string): Promise<Connection | ConnectionRefusal> => {
    const connection = await deps.readConnection(id);
    if (connection === null) return 'unknown_connection';
    if (connection.revokedAt !== null) return 'connection_revoked';
    const stored = await deps.storeOrganization(id, organization);
    return stored ? { ...connection, organization, accessRevokedAt: null } : 'unknown_organization';
  };
}

import { problem } from '#shared/contract/problem.ts';
import type { ReadConnection } from '#shared/operations/operator/select-organization.ts';
import type { Principal } from './authenticate.ts';

type Deps = {
  /** @returns the id of the connection in a valid token; throws `invalid_token` for any other token */
  readonly verifyToken: (token: string) => Promise<string>;
  readonly readConnection: ReadConnection;
};

/**
 * Authenticates an access token: its connection names the organization that the caller acts for.
 *
 * @throws Problem `invalid_token`, `connection_revoked`, `organization_not_selected` or `organization_access_revoked`
 */
export function authenticateToken(deps: Deps) {
  return async (token: string): Promise<Principal> => {
    const connection = await deps.readConnection(await deps.verifyToken(token));
    if (connection === null) throw problem('invalid_token');
    if (connection.revokedAt !== null) throw problem('connection_revoked');
    if (connection.organization === null) throw problem('organization_not_selected');
    if (connection.accessRevokedAt !== null) throw problem('organization_access_revoked');
    return { customerId: connection.organization, credentialId: connection.id };
  };
}

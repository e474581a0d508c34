import { readConnection } from '#shared/aws/table/credentials/connections.ts';
import { findApiKey } from '#shared/aws/table/credentials/customers.ts';
import { findPortalLink } from '#shared/aws/table/credentials/portal-links.ts';
import { type Problem, problem } from '#shared/contract/problem.ts';
import { isPortalLinkOpen } from '#shared/domain/portal-link.ts';
import type { Needs } from '#shared/operations/needs.ts';
import {
  hashCredential,
  isPortalCredential,
  isWellFormedApiKey,
  isWellFormedPortalCredential,
} from './checked-token.ts';

/** An authenticated caller. */
export type Principal = {
  readonly customerId: string;
  /** The request limit counts requests by this id. */
  readonly credentialId: string;
  /** Only of a portal link: when it ends, epoch milliseconds. */
  readonly endsAt?: number;
  /** Whether it may only read. Only a portal link can be so. */
  readonly readOnly?: boolean;
};

type Deps = Pick<Needs, 'table'> & {
  /** Absent without a configured token issuer: then every token is invalid. */
  readonly authenticateToken?: ((token: string) => Promise<Principal>) | undefined;
  readonly authenticateLink: (credential: string) => Promise<Principal>;
};

/**
 * Authenticates a request by API key, access token or the credential of a portal link.
 *
 * @param authorization value of the `Authorization` header; the scheme is case-insensitive
 * @throws Problem with status 401 or 403
 */
export function authenticate(deps: Deps) {
  return async (authorization: string | undefined): Promise<Principal> => {
    const credential = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (credential === undefined) throw missing(authorization);
    if (isPortalCredential(credential)) return deps.authenticateLink(credential);
    if (!isAccessToken(credential)) return authenticateKey(deps, credential);
    if (deps.authenticateToken === undefined) throw problem('invalid_token');
    return deps.authenticateToken(credential);
  };
}

/** Says how to send a credential that is there in another form, without repeating it. */
function missing(authorization = ''): Problem {
  if (authorization.trim() === '') return problem('missing_authorization');
  const fault = /^bearer\b/i.test(authorization)
    ? 'has not exactly one credential after the word `Bearer`'
    : 'does not begin with the word `Bearer`';
  return problem('missing_authorization', {
    detail: `The header \`Authorization\` ${fault}: send \`Authorization: Bearer key_…\``,
  });
}

/** A JWT has three parts, separated by dots. An API key has no dot. */
function isAccessToken(credential: string): boolean {
  return credential.split('.').length === 3;
}

/** Rejects a key with a wrong checksum without a read. */
async function authenticateKey(deps: Deps, key: string): Promise<Principal> {
  const stored = isWellFormedApiKey(key) ? await findApiKey(deps.table, hashCredential(key)) : null;
  if (stored === null) throw problem('invalid_key');
  if (stored.revokedAt !== null) throw problem('key_revoked');
  return { customerId: stored.customerId, credentialId: stored.id };
}

/**
 * Authenticates the credential of a portal link, which acts for one customer until its end.
 *
 * @throws Problem `invalid_key` or `portal_link_ended`
 */
export function authenticateLink({ table, now }: Pick<Needs, 'table' | 'now'>) {
  return async (credential: string): Promise<Principal> => {
    const link = isWellFormedPortalCredential(credential)
      ? await findPortalLink(table, hashCredential(credential))
      : null;
    if (link === null) {
      throw problem('invalid_key', {
        detail: 'The portal link is not known here: open the whole link, or ask for a new one',
      });
    }
    if (!isPortalLinkOpen(link, now())) throw problem('portal_link_ended');
    const { customerId, id: credentialId, endsAt, readOnly } = link;
    return { customerId, credentialId, endsAt, readOnly };
  };
}

type TokenDeps = Pick<Needs, 'table'> & {
  /** @returns the id of the connection in a valid token; throws `invalid_token` for any other token */
  readonly verifyToken: (token: string) => Promise<string>;
};

/**
 * Authenticates an access token: its connection names the organization that the caller acts for.
 *
 * @throws Problem `invalid_token`, `connection_revoked`, `organization_not_selected` or `organization_access_revoked`
 */
export function authenticateToken(deps: TokenDeps) {
  return async (token: string): Promise<Principal> => {
    const connection = await readConnection(deps.table, await deps.verifyToken(token));
    if (connection === null) throw problem('invalid_token');
    if (connection.revokedAt !== null) throw problem('connection_revoked');
    if (connection.organization === null) throw problem('organization_not_selected');
    if (connection.accessRevokedAt !== null) throw problem('organization_access_revoked');
    return { customerId: connection.organization, credentialId: connection.id };
  };
}

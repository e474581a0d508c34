import { problem } from '#shared/contract/problem.ts';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import { hashApiKey, isWellFormedApiKey } from './api-key.ts';

/** Who calls. */
export type Principal = {
  readonly customerId: string;
  /** What the request limit is counted by. */
  readonly credentialId: string;
};

type Deps = {
  readonly findApiKey: (hash: string) => Promise<StoredApiKey | null>;
  /** Left out where no token issuer is configured: then no token can be good. */
  readonly authenticateToken?: ((token: string) => Promise<Principal>) | undefined;
};

/** @param authorization the header's value; the scheme is matched without regard to case */
export function authenticate(deps: Deps) {
  return async (authorization: string | undefined): Promise<Principal> => {
    const credential = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (credential === undefined) throw problem('missing_authorization');
    if (!isAccessToken(credential)) return authenticateKey(deps, credential);
    if (deps.authenticateToken === undefined) throw problem('invalid_token');
    return deps.authenticateToken(credential);
  };
}

/** Three parts with a dot between them: a JWT. No API key has a dot. */
function isAccessToken(credential: string): boolean {
  return credential.split('.').length === 3;
}

/** A key with a wrong checksum is refused without a read. */
async function authenticateKey(deps: Deps, key: string): Promise<Principal> {
  const stored = isWellFormedApiKey(key) ? await deps.findApiKey(hashApiKey(key)) : null;
  if (stored === null) throw problem('invalid_key');
  if (stored.revokedAt !== null) throw problem('key_revoked');
  return { customerId: stored.customerId, credentialId: stored.id };
}

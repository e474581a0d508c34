import { problem } from '../contract/problem.ts';
import type { StoredApiKey } from '../operations/issue-api-key.ts';
import { hashApiKey, isWellFormedApiKey } from './api-key.ts';

/** Who calls. */
export type Principal = {
  readonly customerId: string;
  /** What the request limit is counted by. */
  readonly credentialId: string;
};

type Deps = { readonly findApiKey: (hash: string) => Promise<StoredApiKey | null> };

/** @param authorization the header's value; the scheme is matched without regard to case */
export function authenticate(deps: Deps) {
  return async (authorization: string | undefined): Promise<Principal> => {
    const credential = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (credential === undefined) throw problem('missing_authorization');
    return isAccessToken(credential) ? refuseToken() : authenticateKey(deps, credential);
  };
}

/** Three parts with a dot between them: a JWT. No API key has a dot. */
function isAccessToken(credential: string): boolean {
  return credential.split('.').length === 3;
}

/** No issuer is configured whose tokens could be verified. */
function refuseToken(): never {
  throw problem('invalid_token');
}

/** A key with a wrong checksum is refused without a read. */
async function authenticateKey(deps: Deps, key: string): Promise<Principal> {
  const stored = isWellFormedApiKey(key) ? await deps.findApiKey(hashApiKey(key)) : null;
  if (stored === null) throw problem('invalid_key');
  if (stored.revokedAt !== null) throw problem('key_revoked');
  return { customerId: stored.customerId, credentialId: stored.id };
}

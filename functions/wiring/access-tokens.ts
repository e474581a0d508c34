import { verifyAccessToken } from '#shared/auth/access-token.ts';
import { authenticateToken, type Principal } from '#shared/auth/authenticate.ts';
import { createSigningKeys } from '#shared/auth/signing-keys.ts';
import type { Table } from '#shared/aws/clients.ts';
import { createFetchJwks } from '#shared/http/fetch-jwks.ts';
import { optionalSetting } from '#shared/runtime/environment.ts';
import { readLocalIssuerOrigin } from '#shared/runtime/local-settings.ts';
import { now } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';

/** Authenticates access tokens; `undefined` without a configured issuer. Invocations share the fetched keys. */
export function accessTokens(table: Table): ((token: string) => Promise<Principal>) | undefined {
  const issuer = optionalSetting('tokenIssuer');
  const audience = optionalSetting('tokenAudience');
  const url = optionalSetting('tokenJwksUrl');
  if (issuer === undefined || audience === undefined || url === undefined) return undefined;
  const findSigningKey = createSigningKeys({
    now,
    fetchKeySet: createFetchJwks({ url, plainOrigin: readLocalIssuerOrigin() }),
    onFailure: (cause) => report({ name: 'step.failed', step: 'fetch-signing-keys', cause }),
  });
  return authenticateToken({
    verifyToken: verifyAccessToken({ issuer, audience, now, findSigningKey }),
    table,
  });
}

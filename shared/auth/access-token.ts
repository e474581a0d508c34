import { JWTClaimValidationFailed, JWTExpired } from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import * as z from 'zod/mini';
import { type Problem, problem } from '#shared/contract/problem.ts';
import { isOwnId } from '#shared/domain/ids.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { acceptedAlgorithms } from './accepted-algorithms.ts';
import { type FindSigningKey, SigningKeysUnavailable } from './signing-keys.ts';

/** The claims that identify a token for this service. */
type TokenSettings = {
  /** The issuer, exactly as in `iss`. */
  readonly issuer: string;
  /** A value that `aud` must contain. */
  readonly audience: string;
};

type Deps = TokenSettings & Pick<Needs, 'now'> & { readonly findSigningKey: FindSigningKey };

/** Characters; API Gateway accepts 10,240 bytes of headers in total. */
const maxTokenLength = 8192;

/** Seconds by which the issuer's clock may differ from this service's clock. */
const leeway = 30;

const tokenTypes = /^(?:application\/)?(?:at\+)?jwt$/i;
const claimSet = z.object({ connection_id: z.string(), iat: z.optional(z.number()) });

/**
 * Verifies an access token: a JWT that the issuer signed for this service, that is valid now, and that names a
 * connection.
 *
 * @returns the id of the connection; whether it exists is not checked
 * @throws Problem `invalid_token`; SigningKeysUnavailable when the signature cannot be checked
 */
export function verifyAccessToken(deps: Deps) {
  return async (token: string): Promise<string> => {
    if (token.length > maxTokenLength)
      throw invalidToken(`The access token must have at most ${maxTokenLength} characters`);
    const now = deps.now();
    const { payload, protectedHeader } = await jwtVerify(token, deps.findSigningKey, {
      algorithms: [...acceptedAlgorithms],
      issuer: deps.issuer,
      audience: deps.audience,
      requiredClaims: ['exp'],
      clockTolerance: leeway,
      currentDate: new Date(now),
    }).catch(refuse);
    if (!isTokenType(protectedHeader.typ))
      throw invalidToken('The token is not an access token: `typ` must be `JWT` or `at+jwt`');
    const claims = claimSet.safeParse(payload).data;
    if (claims === undefined || !isOwnId('connection', claims.connection_id)) {
      throw invalidToken('The access token has no valid `connection_id`');
    }
    if ((claims.iat ?? 0) > now / 1000 + leeway)
      throw invalidToken('The access token was issued in the future: check `iat`');
    return claims.connection_id;
  };
}

/** Issuers give tokens for other purposes a different `typ`; many issuers omit `typ` from access tokens. */
function isTokenType(typ: unknown): boolean {
  return typ === undefined || (typeof typ === 'string' && tokenTypes.test(typ));
}

/** Names the failed claim of a correctly signed token; every other failure reveals nothing. */
function refuse(error: unknown): never {
  if (error instanceof SigningKeysUnavailable) throw error;
  if (error instanceof JWTExpired) throw invalidToken('The access token has expired: refresh it');
  if (error instanceof JWTClaimValidationFailed) {
    throw invalidToken(`The claim \`${error.claim}\` of the access token is missing or does not match this service`);
  }
  throw problem('invalid_token');
}

function invalidToken(detail: string): Problem {
  return problem('invalid_token', { detail });
}

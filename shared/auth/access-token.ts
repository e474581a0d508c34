import { JWTClaimValidationFailed, JWTExpired } from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import * as z from 'zod';
import { type Problem, problem } from '#shared/contract/problem.ts';
import { isOwnId } from '#shared/domain/ids.ts';
import { acceptedAlgorithms } from './accepted-algorithms.ts';
import { type FindSigningKey, SigningKeysUnavailable } from './signing-keys.ts';

/** Which tokens are for this service. */
type TokenSettings = {
  /** Who issues them, exactly as `iss` has it. */
  readonly issuer: string;
  /** What `aud` must name. */
  readonly audience: string;
};

type Deps = TokenSettings & {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly findSigningKey: FindSigningKey;
};

/** Characters; API Gateway takes 10,240 bytes of headers altogether. */
const maxTokenLength = 8192;

/** Seconds by which the issuer's clock may differ from ours. */
const leeway = 30;

const tokenTypes = /^(?:application\/)?(?:at\+)?jwt$/i;
const claimSet = z.object({ connection_id: z.string(), iat: z.number().optional() });

/**
 * Verifies an access token: a JWT that the issuer signed, for this service, for now, for a connection.
 *
 * @returns the id of the connection, which may or may not exist
 * @throws Problem `invalid_token`; SigningKeysUnavailable when nobody can tell
 */
export function verifyAccessToken(deps: Deps) {
  return async (token: string): Promise<string> => {
    if (token.length > maxTokenLength) throw invalidToken('The token is too long.');
    const now = deps.now();
    const { payload, protectedHeader } = await jwtVerify(token, deps.findSigningKey, {
      algorithms: [...acceptedAlgorithms],
      issuer: deps.issuer,
      audience: deps.audience,
      requiredClaims: ['exp'],
      clockTolerance: leeway,
      currentDate: new Date(now),
    }).catch(refuse);
    if (!isTokenType(protectedHeader.typ)) throw invalidToken('The token is of another type.');
    const claims = claimSet.safeParse(payload).data;
    if (claims === undefined || !isOwnId('connection', claims.connection_id)) {
      throw invalidToken('The token names no connection.');
    }
    if ((claims.iat ?? 0) > now / 1000 + leeway) throw invalidToken('The token was issued in the future.');
    return claims.connection_id;
  };
}

/** Tokens of one issuer for different uses are told apart by it; many issuers leave it out. */
function isTokenType(typ: unknown): boolean {
  return typ === undefined || (typeof typ === 'string' && tokenTypes.test(typ));
}

/** Claims are spoken of only once the signature was good; of anything else nothing is said. */
function refuse(error: unknown): never {
  if (error instanceof SigningKeysUnavailable) throw error;
  if (error instanceof JWTExpired) throw invalidToken('The token has expired.');
  if (error instanceof JWTClaimValidationFailed) {
    throw invalidToken(`The claim ${error.claim} is missing or is not what this service expects.`);
  }
  throw problem('invalid_token');
}

function invalidToken(detail: string): Problem {
  return problem('invalid_token', { detail });
}

import { CompactSign, exportJWK, generateKeyPair, type JWK } from 'jose';
import { makeId } from '#shared/domain/ids.ts';
import { startOfTest } from '../values/builders.ts';

export const issuer = 'https://issuer.example.com/';
export const audience = 'https://api.example.com';
export const connectionId = makeId('connection', startOfTest, new Uint8Array(10));

/** Seconds since the epoch. */
export const testTime = Math.floor(startOfTest / 1000);

/** `undefined` leaves a member out. */
export type Members = Readonly<Record<string, unknown>>;

export type TestKey = {
  readonly publicKey: JWK;
  /** Both replace what a good token has. */
  readonly sign: (claims?: Members, header?: Members) => Promise<string>;
};

/** A key of an issuer, and the tokens that it signs: valid ones by default. */
export async function makeTestKey(alg = 'ES256', kid = 'key-1'): Promise<TestKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return {
    publicKey: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' },
    sign: (claims, header) => {
      const payload = new TextEncoder().encode(JSON.stringify({ ...goodClaims, ...claims }));
      const given = JSON.stringify({ alg, kid, typ: 'at+jwt', ...header });
      return new CompactSign(payload).setProtectedHeader(JSON.parse(given)).sign(privateKey);
    },
  };
}

export const goodClaims = {
  iss: issuer,
  aud: audience,
  iat: testTime - 60,
  exp: testTime + 3600,
  connection_id: connectionId,
};

/** A token assembled from parts, for contents that no library signs. */
export function rawToken(header: object, claims: object, signature = ''): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode(header)}.${encode(claims)}.${signature}`;
}

import { createHmac, createPublicKey } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { acceptedAlgorithms } from '#shared/auth/accepted-algorithms.ts';
import { verifyAccessToken } from '#shared/auth/access-token.ts';
import { makeApiKey } from '#shared/auth/checked-token.ts';
import { createSigningKeys, SigningKeysUnavailable } from '#shared/auth/signing-keys.ts';
import {
  audience,
  connectionId,
  goodClaims,
  issuer,
  type Members,
  makeTestKey,
  rawToken,
  type TestKey,
  testTime,
} from '../../support/http/token-issuer.ts';

let key: TestKey;

beforeAll(async () => {
  key = await makeTestKey();
});

const now = () => testTime * 1000;

function verifierOf(...keys: readonly object[]) {
  const fetches: number[] = [];
  const findSigningKey = createSigningKeys({
    now,
    fetchKeySet: async () => {
      fetches.push(now());
      return { keys };
    },
    onFailure: (cause) => {
      throw cause;
    },
  });
  return { fetches, verify: verifyAccessToken({ issuer, audience, now, findSigningKey }) };
}

const verify = (token: string) => verifierOf(key.publicKey).verify(token);

/** A token under a shared secret. */
function signedWith(secret: string | Buffer): string {
  const unsigned = rawToken({ alg: 'HS256', kid: 'key-1' }, goodClaims).slice(0, -1);
  return `${unsigned}.${createHmac('sha256', secret).update(unsigned).digest('base64url')}`;
}

describe('verifyAccessToken()', () => {
  it('returns the connection of a valid token', async () => {
    expect(await verify(await key.sign())).toBe(connectionId);
  });

  it.each(acceptedAlgorithms)('accepts a token signed with %s', async (alg) => {
    const other = await makeTestKey(alg);

    expect(await verifierOf(other.publicKey).verify(await other.sign())).toBe(connectionId);
  });

  const elsewhere = 'https://evil.example.com';
  const good: readonly [string, Members, Members][] = [
    ['for several services', { aud: ['https://other.example.com', audience] }, {}],
    ['that expired within the leeway', { exp: testTime - 29 }, {}],
    ['that is valid from a moment in the leeway on', { nbf: testTime + 30 }, {}],
    ['that was issued at a moment in the leeway', { iat: testTime + 30 }, {}],
    ['that does not say when it was issued', { iat: undefined }, {}],
    ['of type JWT', {}, { typ: 'JWT' }],
    ['of type at+jwt in full', {}, { typ: 'application/at+JWT' }],
    ['of no type', {}, { typ: undefined }],
    ['that names its key elsewhere too', {}, { jku: elsewhere, x5u: elsewhere }],
    ['of nearly 8,192 characters', { pad: 'x'.repeat(5_700) }, {}],
  ];

  it.each(good)('accepts a token %s', async (_case, claims, header) => {
    expect(await verify(await key.sign(claims, header))).toBe(connectionId);
  });

  const bad: readonly [string, Members, Members][] = [
    ['that has expired', { exp: testTime - 30 }, {}],
    ['that never expires', { exp: undefined }, {}],
    ['that is not valid yet', { nbf: testTime + 31 }, {}],
    ['that was issued in the future', { iat: testTime + 31 }, {}],
    ['for another service', { aud: 'https://other.example.com' }, {}],
    ['for nobody', { aud: undefined }, {}],
    ['of another issuer', { iss: 'https://issuer.example.com' }, {}],
    ['of no issuer', { iss: undefined }, {}],
    ['without a connection', { connection_id: undefined }, {}],
    ['whose connection is no text', { connection_id: 7 }, {}],
    ['whose connection is of another kind', { connection_id: 'cus_01KDVDRN00000000000000000A' }, {}],
    ['whose connection is a path', { connection_id: '../../con_1' }, {}],
    ['of more than 8,192 characters', { pad: 'x'.repeat(6_000) }, {}],
    ['of another type', {}, { typ: 'logout+jwt' }],
    ['of a type that only begins well', {}, { typ: 'JWT+x' }],
    ['that names an unknown key', {}, { kid: 'key-2' }],
    ['that names a file as its key', {}, { kid: '/dev/null' }],
  ];

  it.each(bad)('refuses a token %s', async (_case, claims, header) => {
    const token = await key.sign(claims, header);

    await expect(verify(token)).rejects.toMatchObject({ code: 'invalid_token', status: 401 });
  });

  it('refuses a token that demands an unknown extension', async () => {
    const pair = await generateKeyPair('ES256', { extractable: true });
    const token = await new SignJWT(goodClaims)
      .setProtectedHeader({ alg: 'ES256', crit: ['lane'], lane: 'left' })
      .sign(pair.privateKey, { crit: { lane: true } });

    const check = verifierOf(await exportJWK(pair.publicKey)).verify(token);

    await expect(check).rejects.toMatchObject({ code: 'invalid_token' });
  });

  const forged: readonly (readonly [string, () => Promise<string>])[] = [
    [
      'whose payload was changed after it was signed',
      async () => {
        const [header, , signature] = (await key.sign()).split('.');
        const payload = Buffer.from(JSON.stringify({ ...goodClaims, exp: testTime + 9999 }));
        return `${header}.${payload.toString('base64url')}.${signature}`;
      },
    ],
    ['that another key of the same name signed', async () => (await makeTestKey()).sign()],
    ['in the form of an API key', async () => makeApiKey(new Uint8Array(32)).replaceAll(/.{18}/g, '$&.')],
  ];

  it.each(forged)('refuses a token %s', async (_case, token) => {
    await expect(verify(await token())).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('ignores a key inside the token', async () => {
    const other = await makeTestKey();

    const token = await other.sign({}, { jwk: other.publicKey });

    await expect(verify(token)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it.each(['none', 'None', 'NONE', ''])('never accepts the algorithm %j', async (alg) => {
    const token = rawToken({ alg, kid: 'key-1' }, goodClaims);

    await expect(verify(token)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('never uses the public key of the issuer as a secret', async () => {
    const rsa = await makeTestKey('RS256');
    const publicKey = createPublicKey({ key: { ...rsa.publicKey }, format: 'jwk' });
    const pem = publicKey.export({ type: 'spki', format: 'pem' });

    const check = verifierOf(rsa.publicKey).verify(signedWith(pem));

    await expect(check).rejects.toMatchObject({ code: 'invalid_token' });
  });

  // signing-keys.test.ts has that a shared secret in the key set is not used.
  it.each([
    '..',
    'a.b.c',
    'e30.e30.e30',
    `${'a'.repeat(9000)}.b.c`,
    rawToken({ alg: 'HS256' }, goodClaims, 'AAAA'),
    rawToken({ alg: 'none' }, goodClaims),
  ])('asks nobody about %.30s', async (token) => {
    const verifier = verifierOf(key.publicKey);

    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'invalid_token' });
    expect(verifier.fetches).toEqual([]);
  });

  it.each([
    [{ exp: testTime - 100 }, 'The access token has expired: refresh it'],
    [{ aud: 'x' }, 'The claim `aud` of the access token is missing or does not match this service'],
  ])('says what is wrong with %j, and only of a token that the issuer signed', async (claims, detail) => {
    const other = await makeTestKey();

    await expect(verify(await key.sign(claims))).rejects.toMatchObject({ detail });
    await expect(verify(await other.sign(claims))).rejects.toMatchObject({ detail: undefined });
  });

  it('does not blame the token when the issuer is unreachable', async () => {
    const findSigningKey = createSigningKeys({
      now,
      fetchKeySet: () => Promise.reject(new Error('down')),
      onFailure: () => undefined,
    });

    const check = verifyAccessToken({ issuer, audience, now, findSigningKey })(await key.sign());

    await expect(check).rejects.toBeInstanceOf(SigningKeysUnavailable);
  });
});

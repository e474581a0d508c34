import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';
import { z } from 'zod';

export const issuerAlgorithm = 'ES256';

/** The stored form of the private key. */
export const privateKeySchema = z.object({
  kty: z.literal('EC'),
  crv: z.string(),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});

export type PrivateKey = z.infer<typeof privateKeySchema>;

export type IssuerKey = {
  readonly keyId: string;
  readonly sign: CryptoKey;
  /** The part of the key that the issuer publishes. */
  readonly publicKey: JWK;
};

export async function makePrivateKey(): Promise<PrivateKey> {
  const { privateKey } = await generateKeyPair(issuerAlgorithm, { extractable: true });
  return privateKeySchema.parse(await exportJWK(privateKey));
}

export async function openKey(key: PrivateKey): Promise<IssuerKey> {
  const { d: _, ...publicPart } = key;
  const keyId = await calculateJwkThumbprint(publicPart);
  const sign = await importJWK({ ...key, alg: issuerAlgorithm });
  if (sign instanceof Uint8Array) throw new Error('Cannot sign tokens: the key is not asymmetric');
  return { keyId, sign, publicKey: { ...publicPart, kid: keyId, alg: issuerAlgorithm, use: 'sig' } };
}

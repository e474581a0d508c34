import { readFile, rename, writeFile } from 'node:fs/promises';
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

const keptSchema = z.object({
  /** Tokens name the issuer with its port, so a kept key is of use on that port only. */
  port: z.number(),
  key: z.object({ kty: z.literal('EC'), crv: z.string(), x: z.string(), y: z.string(), d: z.string() }),
});

export type KeptIssuer = z.infer<typeof keptSchema>;

export type IssuerKey = {
  readonly keyId: string;
  readonly sign: CryptoKey;
  /** What the issuer publishes. */
  readonly publicKey: JWK;
};

/** @throws Error when the file holds something else */
export async function readKeptIssuer(file: string | undefined): Promise<KeptIssuer | undefined> {
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : keptSchema.parse(JSON.parse(text));
}

/** Written whole or not at all, readable by the owner alone. */
export async function keepIssuer(file: string | undefined, kept: KeptIssuer): Promise<void> {
  if (file === undefined) return;
  await writeFile(`${file}.new`, JSON.stringify(kept), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

export async function makePrivateKey(): Promise<KeptIssuer['key']> {
  const { privateKey } = await generateKeyPair(issuerAlgorithm, { extractable: true });
  return keptSchema.shape.key.parse(await exportJWK(privateKey));
}

export async function openKey(key: KeptIssuer['key']): Promise<IssuerKey> {
  const { d: _, ...publicPart } = key;
  const keyId = await calculateJwkThumbprint(publicPart);
  const sign = await importJWK({ ...key, alg: issuerAlgorithm });
  if (sign instanceof Uint8Array) throw new Error('Cannot sign tokens: the key is not an asymmetric one');
  return { keyId, sign, publicKey: { ...publicPart, kid: keyId, alg: issuerAlgorithm, use: 'sig' } };
}

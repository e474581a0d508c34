import type { JWK } from 'jose';
import { createLocalJWKSet, type LocalJWKSet } from 'jose/jwks/local';
import * as z from 'zod/mini';
import { acceptedAlgorithms } from './accepted-algorithms.ts';

const text = z.exactOptional(z.string());

/**
 * The members of a key that verification needs; certificates and their URLs are dropped. A key that was published with
 * its private part (`d`) is rejected, because anyone could sign with it.
 */
const publicKey = z.object({
  kty: z.enum(['RSA', 'EC', 'OKP']),
  kid: text,
  alg: text,
  use: text,
  key_ops: z.exactOptional(z.array(z.string())),
  crv: text,
  x: text,
  y: text,
  n: text,
  e: text,
  d: z.exactOptional(z.never()),
});

/** Minimum modulus of an RSA key, in bits. */
const minModulusBits = 2048;
const rsaKey = z.object({ modulusLength: z.number() });

/**
 * Selects the keys of a published set that can verify a token. Other keys are skipped: an issuer may publish them for
 * other services.
 *
 * @throws Error when no key can verify a token
 */
export async function readKeySet(published: unknown): Promise<LocalJWKSet> {
  const { keys } = z.object({ keys: z.array(z.unknown()) }).parse(published);
  const usable: JWK[] = [];
  for (const key of keys) {
    const parsed = publicKey.safeParse(key).data;
    if (parsed !== undefined && (await canVerify(parsed))) usable.push(parsed);
  }
  if (usable.length === 0) {
    throw new Error('Cannot use the key set of the token issuer: it has no key that can verify a token');
  }
  return createLocalJWKSet({ keys: usable });
}

/** Uses the lookup of token verification, so that the two never disagree. */
async function canVerify(key: JWK): Promise<boolean> {
  const find = createLocalJWKSet({ keys: [key] });
  for (const alg of acceptedAlgorithms) {
    const found = await find({ alg }).catch(() => null);
    if (found !== null)
      return (rsaKey.safeParse(found.algorithm).data?.modulusLength ?? minModulusBits) >= minModulusBits;
  }
  return false;
}

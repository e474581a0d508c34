import type { JWK } from 'jose';
import { createLocalJWKSet, type LocalJWKSet } from 'jose/jwks/local';
import * as z from 'zod';
import { acceptedAlgorithms } from './accepted-algorithms.ts';

const text = z.string().exactOptional();

/**
 * What verifying takes. Certificates and addresses of certificates are left behind. A key that was published with its
 * private part is not used: anyone may sign with it.
 */
const publicKey = z.object({
  kty: z.enum(['RSA', 'EC', 'OKP']),
  kid: text,
  alg: text,
  use: text,
  key_ops: z.array(z.string()).exactOptional(),
  crv: text,
  x: text,
  y: text,
  n: text,
  e: text,
  d: z.never().exactOptional(),
});

/** With a shorter RSA key no signature is accepted. */
const leastModulus = 2048;
const rsaKey = z.object({ modulusLength: z.number() });

/**
 * The keys of a published set that can verify a token. Others are passed over: an issuer may publish them for others.
 *
 * @throws Error when none is left
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

/** Asks what looks for the key of a token, so that the two never disagree. */
async function canVerify(key: JWK): Promise<boolean> {
  const find = createLocalJWKSet({ keys: [key] });
  for (const alg of acceptedAlgorithms) {
    const found = await find({ alg }).catch(() => null);
    if (found !== null)
      return (rsaKey.safeParse(found.algorithm).data?.modulusLength ?? leastModulus) >= leastModulus;
  }
  return false;
}

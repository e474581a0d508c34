/** Prefix of every signing secret, by which people and secret scanners recognise one. */
const secretTag = 'whsec_';
const randomLength = 32;
/** What Standard Webhooks asks of a secret, in bytes. */
const keyLength = { min: 24, max: 64 } as const;
const shownCharacters = 12;

/** How long the old secret stays valid after a rotation, in milliseconds. */
export const rotationOverlap = 24 * 60 * 60 * 1000;

/** @param random 32 random bytes */
export function makeSigningSecret(random: Uint8Array): string {
  if (random.length !== randomLength) throw new RangeError('Cannot make a signing secret: 32 random bytes are needed');
  return secretTag + Buffer.from(random).toString('base64');
}

/**
 * The bytes that a signing secret stands for.
 *
 * @throws RangeError unless the text is `whsec_` and 24 to 64 bytes in base64. Node.js decodes any text, so without this
 *   check a wrong one would become a short key.
 */
export function secretBytes(secret: string): Uint8Array {
  const bytes = Buffer.from(secret.slice(secretTag.length), 'base64');
  const isExact = secretTag + bytes.toString('base64') === secret;
  if (isExact && bytes.length >= keyLength.min && bytes.length <= keyLength.max) return bytes;
  throw new RangeError('Cannot sign with this secret: expected whsec_ and 24 to 64 bytes in base64');
}

/** The leading characters of a secret: enough to tell two secrets apart, too few to verify a signature. */
export function secretPrefix(secret: string): string {
  return secret.slice(0, shownCharacters);
}

/** Prefix of every signing secret, by which people and secret scanners recognise one. */
const secretTag = 'whsec_';
const shownCharacters = 12;

/** How long the old secret stays valid after a rotation, in milliseconds. */
export const rotationOverlap = 24 * 60 * 60 * 1000;

/** @param random 32 random bytes */
export function makeSigningSecret(random: Uint8Array): string {
  if (random.length !== 32) throw new RangeError('Cannot make a signing secret: 32 random bytes are needed');
  return secretTag + Buffer.from(random).toString('base64');
}

/** The leading characters of a secret: enough to tell two secrets apart, too few to verify a signature. */
export function secretPrefix(secret: string): string {
  return secret.slice(0, shownCharacters);
}

/** Signing secrets start with this, so that secret scanners and people know them. */
const secretTag = 'whsec_';
const shownCharacters = 12;

/** How long the old secret stays valid after a rotation, in milliseconds. */
export const rotationOverlap = 24 * 60 * 60 * 1000;

/** @param random 32 random bytes */
export function makeSigningSecret(random: Uint8Array): string {
  if (random.length !== 32) throw new RangeError('Cannot make a signing secret: 32 random bytes are needed');
  return secretTag + Buffer.from(random).toString('base64');
}

/** The leading characters that tell two secrets apart and verify nothing. */
export function secretPrefix(secret: string): string {
  return secret.slice(0, shownCharacters);
}

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * API keys: `key_`, 32 random bytes in base64url, and a six-character checksum, so that a secret scanner can tell a
 * real key from a lookalike. Only the SHA-256 of a key is stored.
 */
const keyTag = 'key_';
const form = /^key_([A-Za-z0-9_-]{43})([0-9A-Za-z]{6})$/;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** @param random 32 random bytes */
export function makeApiKey(random: Uint8Array): string {
  if (random.length !== 32) throw new RangeError('Cannot make an API key: 32 random bytes are needed');
  const text = Buffer.from(random).toString('base64url');
  return keyTag + text + checksum(text);
}

/** Whether the text has the form of a key and a correct checksum. */
export function isWellFormedApiKey(text: string): boolean {
  const [, random, given] = form.exec(text) ?? [];
  return random !== undefined && checksum(random) === given;
}

/** The SHA-256 of a key in lowercase hex, under which the key is stored. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The CRC-32 in base 62, padded to six characters. */
function checksum(text: string): string {
  let rest = crc32(text);
  let encoded = '';
  for (let index = 0; index < 6; index += 1) {
    encoded = digits.charAt(rest % 62) + encoded;
    rest = Math.floor(rest / 62);
  }
  return encoded;
}

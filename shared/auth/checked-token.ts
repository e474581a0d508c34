import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Opaque credentials: a tag, 32 random bytes in base64url, and a six-character checksum, so that a secret scanner can
 * tell a real one from a lookalike. Only the SHA-256 is stored.
 */
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const apiKeyTag = 'key_';
const portalTag = 'ptl_';

/** @param random 32 random bytes */
export const makeApiKey = (random: Uint8Array): string => makeCheckedToken(apiKeyTag, random);

/** Whether the text has the form of a key and a correct checksum. */
export const isWellFormedApiKey = (text: string): boolean => isCheckedToken(apiKeyTag, text);

/** The credential in the address of a portal link. @param random 32 random bytes */
export const makePortalCredential = (random: Uint8Array): string => makeCheckedToken(portalTag, random);

/** Whether a bearer credential is meant to be one of a portal link. */
export const isPortalCredential = (text: string): boolean => text.startsWith(portalTag);

/** Whether the text has the form of a portal link's credential and a correct checksum. */
export const isWellFormedPortalCredential = (text: string): boolean => isCheckedToken(portalTag, text);

function makeCheckedToken(tag: string, random: Uint8Array): string {
  if (random.length !== 32) throw new RangeError('Cannot make a credential: 32 random bytes are needed');
  const text = Buffer.from(random).toString('base64url');
  return tag + text + checksum(text);
}

function isCheckedToken(tag: string, text: string): boolean {
  if (!text.startsWith(tag)) return false;
  const [, random, given] = /^([A-Za-z0-9_-]{43})([0-9A-Za-z]{6})$/.exec(text.slice(tag.length)) ?? [];
  return random !== undefined && checksum(random) === given;
}

/** The SHA-256 of a credential in lowercase hex, under which it is stored. */
export function hashCredential(credential: string): string {
  return createHash('sha256').update(credential).digest('hex');
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

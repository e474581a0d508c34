import { hashCredential, isCheckedToken, makeCheckedToken } from './checked-token.ts';

const tag = 'key_';

/** @param random 32 random bytes */
export function makeApiKey(random: Uint8Array): string {
  return makeCheckedToken(tag, random);
}

/** Whether the text has the form of a key and a correct checksum. */
export function isWellFormedApiKey(text: string): boolean {
  return isCheckedToken(tag, text);
}

/** The SHA-256 of a key in lowercase hex, under which the key is stored. */
export const hashApiKey = hashCredential;

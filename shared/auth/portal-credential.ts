import { isCheckedToken, makeCheckedToken } from './checked-token.ts';

const tag = 'ptl_';

/** The credential in the address of a portal link. @param random 32 random bytes */
export function makePortalCredential(random: Uint8Array): string {
  return makeCheckedToken(tag, random);
}

/** Whether a bearer credential is meant to be one of a portal link. */
export function isPortalCredential(text: string): boolean {
  return text.startsWith(tag);
}

/** Whether the text has the form of such a credential and a correct checksum. */
export function isWellFormedPortalCredential(text: string): boolean {
  return isCheckedToken(tag, text);
}

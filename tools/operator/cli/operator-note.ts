import { userInfo } from 'node:os';

/** Maximum number of characters. */
const noteLength = 200;

/**
 * Who runs the command, by the name at the operating system, and why: one line for the audit trail.
 *
 * @returns `null` when both are unknown
 */
export function operatorNote(reason: string | undefined, name = userName()): string | null {
  const parts = [name, reason ?? ''].map((text) => text.replaceAll(/[\p{C}\s]+/gu, ' ').trim());
  const note = parts
    .filter((text) => text !== '')
    .join(': ')
    .slice(0, noteLength)
    .trim();
  return note === '' ? null : note;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run with a user id that has no name.
    return '';
  }
}

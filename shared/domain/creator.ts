/** An account on a platform. */
export type Creator = { readonly platform: string; readonly handle: string };

/** Characters of a handle as it is written. */
export const handleLength = 128;

/**
 * The form in which handles are compared and stored: without a leading `@`, in Unicode NFC, in lower case. A handle in
 * this form stays unchanged.
 */
export function canonicalHandle(text: string): string {
  // A lower-case letter may compose with an accent although its upper case did not.
  return text.replace(/^@+/, '').normalize('NFC').toLowerCase().normalize('NFC');
}

/** Whether a text can be a handle: not empty, at most 128 characters, well-formed Unicode. */
export function isHandle(text: string): boolean {
  return text.length <= handleLength && text.isWellFormed() && canonicalHandle(text) !== '';
}

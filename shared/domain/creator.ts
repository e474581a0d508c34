/** An account on a platform. */
export type Creator = { readonly platform: string; readonly handle: string };

const maxLength = 128;

/**
 * The form in which handles are compared and stored: without the `@` that people write before it, composed, in
 * lower case. What is in this form stays as it is.
 */
export function canonicalHandle(text: string): string {
  // Lower case may compose with an accent that upper case did not.
  return text.replace(/^@+/, '').normalize('NFC').toLowerCase().normalize('NFC');
}

/** Whether an account can be called so: not nothing, at most 128 characters, no broken Unicode. */
export function isHandle(text: string): boolean {
  return text.length <= maxLength && text.isWellFormed() && canonicalHandle(text) !== '';
}

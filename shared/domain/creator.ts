/** An account on a platform. */
export type Creator = { readonly platform: string; readonly handle: string };

const maxLength = 128;

/**
 * The form in which handles are compared and stored: without the `@` that people write before it, composed, in
 * lower case.
 */
export function canonicalHandle(text: string): string {
  return text.replace(/^@/, '').normalize('NFC').toLowerCase();
}

/** Whether an account can be called so: not nothing, at most 128 characters, no broken Unicode. */
export function isHandle(text: string): boolean {
  return text.length <= maxLength && text.isWellFormed() && canonicalHandle(text) !== '';
}

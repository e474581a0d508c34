/**
 * Validates an origin that may receive deliveries although it is not public.
 *
 * @throws Error unless the text is exactly an https origin, such as `https://localhost:9443`
 */
export function parseTrustedOrigin(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : undefined;
  if (origin !== text || !text.startsWith('https://')) {
    throw new Error(
      `Cannot trust "${text}": give an https origin without a path, such as https://localhost:9443`,
    );
  }
  return text;
}

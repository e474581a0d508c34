/**
 * Checks an origin that deliveries may go to although it is not public.
 *
 * @throws Error when it is not exactly an https origin, as `https://localhost:9443` is
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

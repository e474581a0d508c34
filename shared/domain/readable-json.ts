/**
 * JSON text of which every parser and database reads each string: half a surrogate pair becomes U+FFFD, and NUL goes.
 * All other characters stay.
 *
 * @param json as `JSON.stringify` writes it, with exactly these as escapes
 */
export function readableJson(json: string): string {
  // Consumes each escape, so that an escaped backslash never begins one.
  return json.replace(/\\(?:u(d[89a-f]..|0000)|.)/g, (escaped, code?: string) => {
    if (code === undefined) return escaped;
    return code === '0000' ? '' : '\uFFFD';
  });
}

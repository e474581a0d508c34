/** The code of an error of Node, such as `ECONNRESET`; `''` without one. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

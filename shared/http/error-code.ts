/** The code of an error of Node, such as `ECONNRESET`; `''` without one. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The same for a name that was not found, which always has one. */
export function lookupErrorCode(error: unknown): string {
  return errorCode(error) || 'EUNKNOWN';
}

/**
 * The message of anything that was thrown. Where no address of a host can be reached, Node.js throws an error without a
 * message, which has one error for each address.
 */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '' || !(error instanceof AggregateError)) return error.message;
  return error.errors.map(errorMessage).join('; ');
}

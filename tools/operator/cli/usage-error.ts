/** The command line is wrong, and nothing was done. Its message says what is expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

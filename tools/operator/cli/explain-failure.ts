const credentials = 'set AWS credentials and AWS_REGION in the environment';

/** Next steps for unexpected failures, by error name or code. */
const remedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no service answers there; start the local stack again with npm start',
  ENOTFOUND: 'check AWS_REGION and the network',
  TimeoutError: 'the request timed out; check the network and what was done, then run the command again',
  CredentialsProviderError: credentials,
  ExpiredToken: credentials,
  ExpiredTokenException: credentials,
  UnrecognizedClientException: credentials,
  InvalidClientTokenId: credentials,
  AccessDenied: 'use credentials that may read the stack, write to its table and use its queues',
  AccessDeniedException: 'use credentials that may read the stack, write to its table and use its queues',
  ValidationError: 'check --stage and AWS_REGION',
  QueueDoesNotExist: 'check --stage and AWS_REGION, or start the local stack again with npm start',
  ResourceNotFoundException: 'check --stage and AWS_REGION, or start the local stack again with npm start',
};

/** One line that says why a command failed and what to do next. */
export function explainFailure(error: unknown): string {
  const chain = causesOf(error);
  const message = chain.map(oneLineOf).find((text) => text !== '') ?? 'The command failed';
  const known = chain.flatMap(namesAndCodesOf).find((key) => Object.hasOwn(remedies, key)) ?? '';
  // The SDK throws a plain Error without a Region, with no name or code to recognize.
  const remedy = remedies[known] ?? (message.startsWith('Region is missing') ? credentials : undefined);
  return remedy === undefined ? message : `${message}: ${remedy}`;
}

/** The error, its causes, and the errors that an AggregateError contains. */
function causesOf(error: unknown, depth = 0): readonly unknown[] {
  if (!(error instanceof Error) || depth > 5) return [error];
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  const causes = error.cause === undefined ? parts : [...parts, error.cause];
  return [error, ...causes.flatMap((cause) => causesOf(cause, depth + 1))];
}

/** The message of an error on one line, without a final period. */
export function oneLineOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '');
}

function namesAndCodesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  return [error.name, 'code' in error ? String(error.code) : ''];
}

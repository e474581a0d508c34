const credentials = 'Set AWS credentials and AWS_REGION in the environment: they are missing, or no longer valid';

/**
 * What happened, and the next step, by the names or codes of errors. It takes the place of the error's own text, in which
 * a library speaks of its settings.
 */
const sentences = byName({
  ECONNREFUSED: 'No service answers there: start the local stack again with npm start',
  'ECONNRESET EAI_AGAIN EHOSTUNREACH ENETUNREACH EPIPE':
    'The network failed: check it and AWS_REGION, and what was done, then run the command again',
  ENOTFOUND: 'The service was not found: check AWS_REGION and the network',
  TimeoutError: 'A request was not answered in time: check the network and what was done, then run the command again',
  'CredentialsProviderError ExpiredToken ExpiredTokenException UnrecognizedClientException InvalidClientTokenId':
    credentials,
  'ThrottlingException Throttling RequestThrottled ProvisionedThroughputExceededException':
    'AWS takes no more requests now: wait a minute, then run the command again',
  QueueDoesNotExist:
    'The queue was not found: check --stage and AWS_REGION, or start the local stack again with npm start',
  ResourceNotFoundException:
    'The table was not found: check --stage and AWS_REGION, or start the local stack again with npm start',
});

/** Next steps after an answer of AWS that says what was wrong. */
const remedies = byName({
  'AccessDenied AccessDeniedException':
    'use credentials that may read the stack, write to its table and use its queues',
  ValidationError: 'check --stage and AWS_REGION',
});

/** @param texts by one name, or by several with spaces between them */
function byName(texts: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(texts).flatMap(([names, text]) => names.split(' ').map((name) => [name, text])));
}

/** One line that says why a command failed and what to do next. */
export function explainFailure(error: unknown): string {
  const chain = causesOf(error);
  const message = chain.map(oneLineOf).find((text) => text !== '') ?? 'The command failed';
  const names = chain.flatMap(namesAndCodesOf);
  const named = (texts: typeof sentences) => names.map((name) => texts.get(name)).find(Boolean);
  const sentence = named(sentences);
  if (sentence !== undefined) return sentence;
  // The SDK throws a plain Error without a Region, with no name or code to recognize.
  if (message.startsWith('Region is missing')) return credentials;
  const remedy = named(remedies);
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
function oneLineOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '');
}

function namesAndCodesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  return [error.name, 'code' in error ? String(error.code) : ''];
}

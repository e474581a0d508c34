const credentials = 'set AWS credentials and AWS_REGION in the environment';

/** What to do about failures that a command cannot foresee, by the name or code that they carry. */
const remedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers there; start the local stack again with npm start',
  ENOTFOUND: 'check AWS_REGION and the network',
  TimeoutError: 'no answer came in time; check the network, look what was done, and run it again',
  CredentialsProviderError: credentials,
  ExpiredToken: credentials,
  ExpiredTokenException: credentials,
  UnrecognizedClientException: credentials,
  InvalidClientTokenId: credentials,
  AccessDenied: 'use credentials that may read the stack, write its table and use its queues',
  AccessDeniedException: 'use credentials that may read the stack, write its table and use its queues',
  ValidationError: 'check --stage and AWS_REGION',
  QueueDoesNotExist: 'check --stage and AWS_REGION, or start the local stack again with npm start',
  ResourceNotFoundException: 'check --stage and AWS_REGION, or start the local stack again with npm start',
};

/** One line on why a command failed and what to do next. */
export function explainFailure(error: unknown): string {
  const chain = causesOf(error);
  const message = chain.map(messageOf).find((text) => text !== '') ?? 'The command failed';
  const remedy = chain
    .flatMap(marksOf)
    .map((mark) => (Object.hasOwn(remedies, mark) ? remedies[mark] : undefined));
  const found = remedy.find((text) => text !== undefined) ?? regionRemedy(message);
  return found === undefined ? message : `${message}: ${found}`;
}

/** The SDK has no name of its own for it. */
function regionRemedy(message: string): string | undefined {
  return message.startsWith('Region is missing') ? credentials : undefined;
}

/** The error, what caused it, and the failures that it stands for. */
function causesOf(error: unknown, depth = 0): readonly unknown[] {
  if (!(error instanceof Error) || depth > 5) return [error];
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  const causes = error.cause === undefined ? parts : [...parts, error.cause];
  return [error, ...causes.flatMap((cause) => causesOf(cause, depth + 1))];
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '');
}

function marksOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  return [error.name, 'code' in error ? String(error.code) : ''];
}

import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';

/** Positions of the writes in a transaction whose condition failed; `null` when none did. */
export function failedConditions(error: unknown): readonly number[] | null {
  const failed = reasonsOf(error).flatMap((code, index) => (code === 'ConditionalCheckFailed' ? [index] : []));
  return failed.length === 0 ? null : failed;
}

/** Tables on demand throttle with `ThrottlingError`, provisioned ones with `ProvisionedThroughputExceeded`. */
const passing: ReadonlySet<string> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

/**
 * Whether a transaction failed only because it met another one on the same items, was throttled, or is still under way:
 * the client repeats one that got no response, and DynamoDB may take five seconds to complete the first.
 */
export function isConflict(error: unknown): boolean {
  return error instanceof TransactionInProgressException || reasonsOf(error).some((code) => passing.has(code));
}

/** Why a transaction was cancelled, for each of its writes in order; empty for any other error. */
function reasonsOf(error: unknown): readonly string[] {
  if (!(error instanceof TransactionCanceledException)) return [];
  return (error.CancellationReasons ?? []).map(({ Code = 'None' }) => Code);
}

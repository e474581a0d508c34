import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/** A write whose condition did not hold, with the item as it was then (`null`: there was none). */
export type Refused = { readonly refused: true; readonly item: Record<string, unknown> | null };

/**
 * Runs a conditional write that asks for the old item on failure; a lost race is an answer, not an error.
 */
export async function orRefused<T>(write: Promise<T>): Promise<T | Refused> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { refused: true, item: error.Item === undefined ? null : unmarshall(error.Item) };
  }
}

export function isRefused(result: unknown): result is Refused {
  return typeof result === 'object' && result !== null && 'refused' in result;
}

/** Which writes of a transaction failed their condition, by position; `null` when it failed for something else. */
export function failedConditions(error: unknown): readonly number[] | null {
  if (!(error instanceof TransactionCanceledException)) return null;
  const reasons = error.CancellationReasons ?? [];
  const failed = reasons.flatMap((reason, index) =>
    reason.Code === 'ConditionalCheckFailed' ? [index] : [],
  );
  return failed.length === 0 ? null : failed;
}

/** Whether a transaction only lost against another one that touched the same items. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof TransactionCanceledException)) return false;
  return (error.CancellationReasons ?? []).some(
    (reason) => reason.Code === 'TransactionConflict' || reason.Code === 'ThrottlingError',
  );
}

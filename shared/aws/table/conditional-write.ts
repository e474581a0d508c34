import { ConditionFailed, TransactionCancelled } from '#shared/aws/table-client.ts';

/** A write whose condition failed, with the item at that time; `null` when there was none. */
export type Refused = { readonly refused: true; readonly item: Readonly<Record<string, unknown>> | null };

/**
 * Runs a conditional write that requests the old item on failure. Returns a failed condition and throws every other
 * error.
 */
export async function orRefused<T>(write: Promise<T>): Promise<T | Refused> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return { refused: true, item: error.item };
  }
}

export function isRefused(result: unknown): result is Refused {
  return typeof result === 'object' && result !== null && 'refused' in result;
}

/** Positions of the writes in a transaction whose condition failed; `null` when none did. */
export function failedConditions(error: unknown): readonly number[] | null {
  if (!(error instanceof TransactionCancelled)) return null;
  const failed = error.reasons.flatMap((code, index) => (code === 'ConditionalCheckFailed' ? [index] : []));
  return failed.length === 0 ? null : failed;
}

/** Whether a transaction failed only because it met another one on the same items or was throttled. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof TransactionCancelled)) return false;
  return error.reasons.some((code) => code === 'TransactionConflict' || code === 'ThrottlingError');
}

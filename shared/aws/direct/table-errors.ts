import { ConditionFailed, TransactionCancelled } from '#shared/aws/table-client.ts';
import { fromAttributes } from './attribute-values.ts';
import { recordOf, ServiceError } from './service-error.ts';

/** Turns what the table's callers handle into their own errors, and leaves every other error as it is. */
export function toTableError(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { details, message } = error;
  if (error.name === 'ConditionalCheckFailedException') {
    const item = details.Item === undefined ? null : fromAttributes(details.Item);
    return new ConditionFailed(message, item, { cause: error });
  }
  if (error.name === 'TransactionCanceledException') {
    return new TransactionCancelled(message, codesOf(details.CancellationReasons), { cause: error });
  }
  return error;
}

function codesOf(reasons: unknown): readonly string[] {
  if (!Array.isArray(reasons)) return [];
  return reasons.map((reason) => String(recordOf(reason).Code ?? 'None'));
}

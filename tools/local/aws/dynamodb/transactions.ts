import { AwsError } from '../aws-api.ts';
import { validationError } from './attribute-value.ts';
import { itemBytes } from './item-size.ts';
import { type FindTable, type Planned, planPart, refuseDoubles, type TransactPart, writeOf } from './writes.ts';

const maxTransactionBytes = 4 * 1024 * 1024;
const tokenMs = 10 * 60_000;

/** The tokens of the transactions of the last ten minutes: one that was done is not done again. */
export class TransactionTokens {
  readonly #tokens = new Map<string, { readonly until: number; readonly content: string }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws AwsError when another transaction had the token */
  isDone(token: string, content: string): boolean {
    const earlier = this.#tokens.get(token);
    if (earlier === undefined || earlier.until <= this.#now()) return false;
    if (earlier.content === content) return true;
    throw new AwsError(
      'IdempotentParameterMismatchException',
      'The token was used with other parameters less than ten minutes ago',
    );
  }

  keep(token: string, content: string): void {
    const now = this.#now();
    this.#tokens.delete(token);
    this.#tokens.set(token, { until: now + tokenMs, content });
    for (const [known, { until }] of this.#tokens) {
      if (until > now) break;
      this.#tokens.delete(known);
    }
  }
}

/** @throws AwsError with a reason for each write, when one is refused */
export function planTransaction(table: FindTable, parts: readonly TransactPart[]): readonly Planned[] {
  refuseDoubles(
    parts.map((part) => targetOf(table, part)),
    'Transaction request cannot include multiple operations on one item',
  );
  const results = parts.map((part) => {
    try {
      return { planned: planPart(table, part), reason: { Code: 'None' } };
    } catch (error) {
      return { reason: cancellationReason(error) };
    }
  });
  const planned = results.flatMap((result) => ('planned' in result ? [result.planned] : []));
  if (planned.length === parts.length) {
    refuseLarge(planned);
    return planned;
  }
  const CancellationReasons = results.map(({ reason }) => reason);
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  throw new AwsError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    400,
    { CancellationReasons },
  );
}

function refuseLarge(planned: readonly Planned[]): void {
  const bytes = planned.reduce((sum, { after }) => sum + itemBytes(after ?? {}), 0);
  if (bytes > maxTransactionBytes)
    throw validationError('Collection size of items to write in a transaction exceeds 4 MB');
}

/** The key of the item that a part of a transaction is about, as the request writes it. */
function targetOf(table: FindTable, part: TransactPart): string {
  const write = writeOf(part);
  const attributes = 'Item' in write ? write.Item : write.Key;
  return JSON.stringify([write.TableName, ...table(write.TableName).names.map((name) => attributes[name])]);
}

function cancellationReason(error: unknown) {
  if (!(error instanceof AwsError)) throw error;
  const { code, message, members } = error;
  const Code =
    code === 'ConditionalCheckFailedException'
      ? 'ConditionalCheckFailed'
      : code === 'ValidationException'
        ? 'ValidationError'
        : null;
  if (Code === null) throw error;
  return { Code, Message: message, ...members };
}

import {
  type Selection,
  type TakenOut,
  takeOutDeadLetters,
} from '#shared/operations/operator/take-out-dead-letters.ts';
import { messageOf } from '../cli/run-program.ts';
import type { Invocation } from '../cli/target.ts';
import type { DeadLetterQueue, QueueName } from './dead-letter-queues.ts';

export type QueueResult = TakenOut & { readonly queue: QueueName };

/**
 * Takes the selected messages out of the queues, one queue after the other.
 *
 * @param isPutBack whether each returns to the queue that it came from
 */
export async function takeOutOfQueues(
  queues: readonly DeadLetterQueue[],
  selection: Selection,
  isPutBack = false,
): Promise<readonly QueueResult[]> {
  const results: QueueResult[] = [];
  for (const queue of queues) {
    // Skips searching the second queue for ids found in the first.
    const ids = stillMissing(selection.ids, results);
    if (ids?.size === 0) break;
    const takeOut = takeOutDeadLetters({ ...queue, take: () => queue.take() });
    const taken = await takeOut({ ...selection, ids }, isPutBack ? queue.putBack : undefined);
    results.push({ ...taken, queue: queue.name });
  }
  return results;
}

function stillMissing(
  ids: ReadonlySet<string> | null,
  results: readonly QueueResult[],
): ReadonlySet<string> | null {
  const taken = new Set(results.flatMap((result) => result.taken));
  return ids === null ? null : new Set([...ids].filter((id) => !taken.has(id)));
}

/**
 * @param done the verb that begins the sentence, such as `Put back`
 * @throws Error when a queue failed or a requested id was not found
 */
export function throwOnRest(
  results: readonly QueueResult[],
  done: string,
  ids: ReadonlySet<string> | null,
  next: Invocation['next'],
): void {
  for (const { queue, taken, failure } of results) {
    if (failure === null) continue;
    throw new Error(
      `${done} ${taken.length} dead letters of the ${queue} queue; the others are still there: ${messageOf(failure)}`,
      { cause: failure },
    );
  }
  const missing = [...(stillMissing(ids, results) ?? [])];
  if (missing.length > 0) throw deadLetterNotFound(missing.join(', '), next);
}

/** The message may also exist: a dead letter is hidden for minutes while another command holds it. */
export function deadLetterNotFound(id: string, next: Invocation['next']): Error {
  return new Error(`Dead letter ${id} not found. List them with: ${next('dead-letters list')}`);
}

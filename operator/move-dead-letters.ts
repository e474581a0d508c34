import {
  type Redriven,
  redriveDeadLetters,
  type Selection,
} from '#shared/operations/operator/redrive-dead-letters.ts';
import type { DeadLetterQueue, QueueName } from './dead-letter-queues.ts';
import { nextCommand, type TargetOptions } from './target.ts';

export type QueueResult = Redriven & {
  readonly queue: QueueName;
  /** How many somebody else held when it began; they were not looked at. */
  readonly heldElsewhere: number;
};

type PutBack = DeadLetterQueue['putBack'];

/** Takes the selected messages out of the queues, one queue after the other, once each was put where it is to go. */
export async function moveDeadLetters(
  queues: readonly DeadLetterQueue[],
  selection: Selection,
  putBackOf: (queue: DeadLetterQueue) => PutBack,
): Promise<readonly QueueResult[]> {
  const results: QueueResult[] = [];
  for (const queue of queues) {
    // The second queue need not be searched for ids that were in the first.
    const ids = stillMissing(selection.ids, results);
    if (ids?.size !== 0) results.push(await moveFrom(queue, { ...selection, ids }, putBackOf(queue)));
  }
  return results;
}

async function moveFrom(
  queue: DeadLetterQueue,
  selection: Selection,
  putBack: PutBack,
): Promise<QueueResult> {
  let heldElsewhere = 0;
  const count = async () => {
    const { waiting, held } = await queue.count();
    heldElsewhere = held;
    return waiting + held;
  };
  const { take, remove, release } = queue;
  const result = await redriveDeadLetters({ count, take: () => take(), putBack, remove, release })(selection);
  return { ...result, queue: queue.name, heldElsewhere };
}

function stillMissing(
  ids: ReadonlySet<string> | null,
  results: readonly QueueResult[],
): ReadonlySet<string> | null {
  const moved = new Set(results.flatMap(({ redriven }) => redriven));
  return ids === null ? null : new Set([...ids].filter((id) => !moved.has(id)));
}

/**
 * @param done the beginning of what to say, such as `Put back`
 * @throws Error when a queue was not done, or a message that was named is not there
 */
export function throwOnRest(
  results: readonly QueueResult[],
  done: string,
  ids: ReadonlySet<string> | null,
  options: TargetOptions,
): void {
  for (const { queue, redriven, failure } of results) {
    if (failure === null) continue;
    const reason = failure instanceof Error ? failure.message : String(failure);
    throw new Error(
      `${done} ${redriven.length} dead letters of the ${queue} queue, the others are still there: ${reason}`,
      { cause: failure },
    );
  }
  const missing = [...(stillMissing(ids, results) ?? [])];
  if (missing.length === 0) return;
  const list = nextCommand(options, 'dead-letters list');
  throw new Error(
    `There is no dead letter ${missing.join(', ')} that can be seen: ${list} shows those there are`,
  );
}

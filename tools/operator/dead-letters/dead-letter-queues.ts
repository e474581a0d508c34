import { Option } from 'commander';
import {
  type DeadLetter,
  deleteDeadLetter,
  peekDeadLetters,
  releaseDeadLetters,
  sendAgain,
  takeDeadLetters,
} from '#shared/aws/queues/dead-letter-queue.ts';
import { countMessages } from '#shared/aws/queues/queue-depth.ts';
import {
  type Selection,
  type TakenOut,
  takeOutDeadLetters,
} from '#shared/operations/operator/take-out-dead-letters.ts';
import { explainFailure } from '../cli/explain-failure.ts';
import type { Invocation, Target } from '../cli/target.ts';
import { counted } from '../cli/text-table.ts';

const queueNames = ['intake', 'delivery', 'replay'] as const;
export type QueueName = (typeof queueNames)[number];

/** The queue that `--queue` names. */
export type QueueOptions = { readonly queue?: QueueName };

export const queueOption = new Option('--queue <name>', 'only the dead letters of this queue').choices(queueNames);

/** Maximum number of messages per queue to list or search. */
export const maxLetters = 10_000;

/**
 * Seconds that a command holds a message. If the command is killed, the message becomes visible again after this time.
 */
const holdTime = 300;

export type DeadLetterQueue = ReturnType<typeof connectQueue>;

/** The dead-letter queues to act on: all, unless the options name one. */
export function openDeadLetters(stage: Target, options: QueueOptions): readonly DeadLetterQueue[] {
  const queues = [
    connectQueue(stage.queues, 'intake', stage.intakeDeadLetterQueueUrl, stage.intakeQueueUrl),
    connectQueue(stage.queues, 'delivery', stage.deliveryDeadLetterQueueUrl, stage.deliveryQueueUrl),
    connectQueue(stage.queues, 'replay', stage.replayDeadLetterQueueUrl, stage.replayQueueUrl),
  ];
  return queues.filter(({ name }) => options.queue === undefined || name === options.queue);
}

function connectQueue(client: Target['queues'], name: QueueName, queueUrl: string, sourceUrl: string) {
  return {
    name,
    count: () => countMessages(client, queueUrl),
    peek: peekDeadLetters(client, queueUrl),
    take: takeDeadLetters(client, queueUrl, holdTime),
    release: releaseDeadLetters(client, queueUrl),
    putBack: sendAgain(client, sourceUrl),
    remove: deleteDeadLetter(client, queueUrl),
  };
}

/** How many dead letters of each queue another command holds, so that no search finds them. */
export function countHeld(queues: readonly DeadLetterQueue[]): Promise<readonly Held[]> {
  return Promise.all(queues.map(async ({ name, count }) => ({ queue: name, heldElsewhere: (await count()).held })));
}

export type Held = Pick<QueueResult, 'queue' | 'heldElsewhere'>;

/** A dead letter and its source queue. */
export type Found = { readonly queue: QueueName; readonly letter: DeadLetter };

/**
 * The wanted dead letters of the queues.
 *
 * @param isLast whether a message ends the search of its queue
 */
export async function findLetters(
  queues: readonly DeadLetterQueue[],
  isWanted: (letter: DeadLetter) => boolean,
  isLast?: (letter: DeadLetter) => boolean,
): Promise<readonly Found[]> {
  const searches = queues.map(async ({ name, peek }) => {
    const letters = await peek(maxLetters, isLast);
    return letters.filter(isWanted).map((letter) => ({ queue: name, letter }));
  });
  return (await Promise.all(searches)).flat();
}

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

function stillMissing(ids: ReadonlySet<string> | null, results: readonly QueueResult[]): ReadonlySet<string> | null {
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
      `${done} ${counted(taken.length, 'dead letter')} of the ${queue} queue; the others are still there: ${explainFailure(failure)}`,
    );
  }
  const missing = [...(stillMissing(ids, results) ?? [])];
  if (missing.length > 0) throw deadLetterNotFound(missing.join(', '), next);
}

/** The message may also exist: a dead letter is hidden for minutes while another command holds it. */
export function deadLetterNotFound(id: string, next: Invocation['next']): Error {
  return new Error(`Dead letter ${id} not found. List them with: ${next('dead-letters list')}`);
}

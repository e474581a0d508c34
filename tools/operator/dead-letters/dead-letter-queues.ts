import { Option } from 'commander';
import {
  countDeadLetters,
  type DeadLetter,
  deleteDeadLetter,
  peekDeadLetters,
  releaseDeadLetters,
  sendAgain,
  takeDeadLetters,
} from '#shared/aws/queues/dead-letter-queue.ts';
import type { Target } from '../cli/target.ts';

const queueNames = ['intake', 'delivery', 'replay'] as const;
export type QueueName = (typeof queueNames)[number];

/** The queue that `--queue` names. */
export type QueueOptions = { readonly queue?: QueueName };

export const queueOption = new Option('--queue <name>', 'only the dead letters of this queue').choices(
  queueNames,
);

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
    count: () => countDeadLetters(client, queueUrl),
    peek: peekDeadLetters(client, queueUrl),
    take: takeDeadLetters(client, queueUrl, holdTime),
    release: releaseDeadLetters(client, queueUrl),
    putBack: sendAgain(client, sourceUrl),
    remove: deleteDeadLetter(client, queueUrl),
  };
}

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

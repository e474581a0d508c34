import { Option } from 'commander';
import {
  countDeadLetters,
  deleteDeadLetter,
  peekDeadLetters,
  releaseDeadLetters,
  sendAgain,
  takeDeadLetters,
} from '#shared/aws/queues/dead-letter-queue.ts';
import { connectQueues } from '#shared/aws/queues/delivery-queue.ts';
import { openTarget, type TargetOptions } from './target.ts';

const queueNames = ['intake', 'delivery'] as const;
export type QueueName = (typeof queueNames)[number];

export const queueOption = new Option('--queue <name>', 'only the dead letters of this queue').choices(
  queueNames,
);

/** How long a command may hold a message: it comes back by itself if the command is ended. Seconds. */
const holdTime = 300;

export type DeadLetterQueue = ReturnType<typeof connectQueue>;

/** The dead-letter queues to act on: both unless one is named. */
export async function openDeadLetters(
  options: TargetOptions & { readonly queue?: QueueName },
): Promise<readonly DeadLetterQueue[]> {
  const stage = await openTarget(options);
  const client = connectQueues();
  const queues = [
    connectQueue(client, 'intake', stage.intakeDeadLetterQueueUrl, stage.intakeQueueUrl),
    connectQueue(client, 'delivery', stage.deliveryDeadLetterQueueUrl, stage.deliveryQueueUrl),
  ];
  return queues.filter(({ name }) => options.queue === undefined || name === options.queue);
}

function connectQueue(
  client: ReturnType<typeof connectQueues>,
  name: QueueName,
  queueUrl: string,
  sourceUrl: string,
) {
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

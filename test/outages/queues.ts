import { createServiceClient } from '../../local/stack/service-client.ts';
import type { StackFile } from '../../local/stack/stack-file.ts';
import { queueSize } from '../support/stack/stack.ts';

/**
 * Seconds after which a message whose batch failed comes again. The deployed three minutes would be waited for
 * once more with each failure; a message that comes too early finds its attempt taken and goes back.
 */
const visibilitySeconds = 5;

/**
 * How long everything has to be waited for, in milliseconds: a message that was received between the start of a stack
 * and the shortening of its visibility timeout comes again after the deployed three minutes, and the machine may be
 * busy.
 */
export const leastPatienceMs = 900_000;

/** Shortens the visibility timeout of the stack's two queues. A stack that starts sets it back. */
export async function shortenVisibility(stack: StackFile): Promise<void> {
  const { call, close } = createServiceClient('sqs', stack.endpoints.sqs);
  const Attributes = { VisibilityTimeout: String(visibilitySeconds) };
  const queues = [stack.intake_queue_url, stack.delivery_queue_url];
  await Promise.all(queues.map((QueueUrl) => call('SetQueueAttributes', { QueueUrl, Attributes }))).finally(
    close,
  );
}

/** Messages of the two queues, those that are in flight included. */
export async function messagesOnQueues(stack: StackFile): Promise<number> {
  return await countMessages(stack, [stack.intake_queue_url, stack.delivery_queue_url]);
}

export async function deadLetters(stack: StackFile): Promise<number> {
  return await countMessages(stack, [
    stack.intake_dead_letter_queue_url,
    stack.delivery_dead_letter_queue_url,
  ]);
}

export const describeDeadLetters = (count: number): readonly string[] =>
  count === 0 ? [] : [`${count} messages are in the dead-letter queues`];

async function countMessages(stack: StackFile, queueUrls: readonly string[]): Promise<number> {
  const sizes = await Promise.all(queueUrls.map((url) => queueSize(stack.endpoints.sqs, url)));
  return sizes.reduce((sum, { visible, inFlight }) => sum + visible + inFlight, 0);
}

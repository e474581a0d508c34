import type { StackFile } from '../../local/stack/stack-file.ts';
import { queueSize } from '../support/stack/stack.ts';

/** Milliseconds to wait for everything to settle: the machine may be busy. */
export const leastPatienceMs = 900_000;

/** Messages of the two queues, those that are in flight included. */
export async function messagesOnQueues(stack: StackFile): Promise<number> {
  return await countMessages(stack, [
    stack.intake_queue_url,
    stack.delivery_queue_url,
    stack.slow_delivery_queue_url,
  ]);
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

import { z } from 'zod';
import {
  buildEmulator,
  type EmulatorMessage,
  type EmulatorQueue,
} from '../../local/aws/sqs/emulator-modules.ts';
import { FairShare } from './fair-share.ts';

export type QueueOrder = 'plain' | 'fair';

/** What one queue of the emulator has handed out. */
type Handed = { readonly share: FairShare; readonly taken: Map<string, number> };

/** What of a delivery's message the service also sends as its message group. */
const groupedBody = z.object({ webhook_id: z.string() });

/**
 * Teaches the SQS emulator, which hands messages out in the order in which they came, the documented order of fair
 * queues. The emulator drops the message group of a standard queue as soon as it gets it, so the group is read from
 * the body: the endpoint's id. It does so for every queue of this process; messages of no endpoint count as quiet.
 *
 * @returns chooses the order; `plain` until it is called
 */
export async function teachFairOrder(now: () => number): Promise<(order: QueueOrder) => void> {
  const prototype = await queuePrototype();
  const { dequeue, deleteMessage } = prototype;
  const handedOf = keepByQueue();
  let chosen: QueueOrder = 'plain';
  const taught: ThisType<EmulatorQueue> & Pick<EmulatorQueue, 'dequeue' | 'deleteMessage'> = {
    dequeue(...request) {
      const { share, taken } = handedOf(this);
      if (chosen === 'fair') quietFirst(this, share, now());
      const received = dequeue.apply(this, request);
      for (const { ReceiptHandle } of received) {
        taken.set(ReceiptHandle, now());
        share.take(groupOf(this, ReceiptHandle));
      }
      return received;
    },
    deleteMessage(receiptHandle) {
      const { share, taken } = handedOf(this);
      const takenAt = taken.get(receiptHandle);
      if (takenAt !== undefined) share.finish(groupOf(this, receiptHandle), takenAt, now());
      taken.delete(receiptHandle);
      return deleteMessage.call(this, receiptHandle);
    },
  };
  Object.assign(prototype, taught);
  return (order) => {
    chosen = order;
  };
}

/** The class itself is not exported, but each of its queues leads to it. */
async function queuePrototype(): Promise<EmulatorQueue> {
  const { app, store } = await buildEmulator();
  const queue = store.createQueue('any', 'http://any', 'arn:aws:sqs:any:0:any');
  await app.close();
  return Object.getPrototypeOf(queue);
}

function keepByQueue(): (queue: EmulatorQueue) => Handed {
  const kept = new WeakMap<EmulatorQueue, Handed>();
  return (queue) => {
    const handed = kept.get(queue) ?? { share: new FairShare(), taken: new Map() };
    kept.set(queue, handed);
    return handed;
  };
}

function quietFirst(queue: EmulatorQueue, share: FairShare, now: number): void {
  const present = new Set(queue.messages.map(groupOfMessage));
  const ranks = new Map([...present].map((group) => [group, group === '' ? 0 : share.rank(group, now)]));
  const rankOf = (message: EmulatorMessage) => ranks.get(groupOfMessage(message)) ?? 0;
  // The sort is stable: within a rank the order stays.
  queue.messages.sort((one, other) => rankOf(one) - rankOf(other));
}

function groupOf(queue: EmulatorQueue, receiptHandle: string): string {
  const entry = queue.inflightMessages.get(receiptHandle);
  return entry === undefined ? '' : groupOfMessage(entry.message);
}

const groups = new WeakMap<EmulatorMessage, string>();

/** Thousands of messages are looked at for each batch, so each is read once. Empty for a message of no endpoint. */
function groupOfMessage(message: EmulatorMessage): string {
  const known = groups.get(message) ?? readGroup(message.body);
  groups.set(message, known);
  return known;
}

function readGroup(body: string): string {
  const parsed = groupedBody.safeParse(JSON.parse(body));
  return parsed.success ? parsed.data.webhook_id : '';
}

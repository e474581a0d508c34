import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { makeId } from '#shared/domain/ids.ts';
import type { CallService } from '../../local/stack/service-client.ts';
import { exampleMessage } from '../../operator/example-messages.ts';

/** One event of the stream. */
export type Sent = {
  readonly runId: string;
  /**
   * Due time in milliseconds of `performance.now()`, not the send time: a late sender must not look like a fast queue.
   */
  readonly at: number;
};

const batchSize = 10;
const sendersAtOnce = 4;

const depth = z.object({
  Attributes: z.object({
    ApproximateNumberOfMessages: z.coerce.number(),
    ApproximateNumberOfMessagesNotVisible: z.coerce.number(),
  }),
});

/** The message for a settled Run: one event, and so one delivery per endpoint. */
function settledRun(customer: string): { readonly runId: string; readonly body: string } {
  const runId = makeId('run', Date.now(), randomBytes(10));
  const message = exampleMessage('run.settled', { customer, run: runId }, Date.now(), randomBytes);
  return { runId, body: JSON.stringify(message) };
}

/** Sends events at a fixed rate, to each customer in turn. Resolves when all are sent. */
export async function sendTrickle(
  call: CallService,
  queueUrl: string,
  load: { readonly customers: readonly string[]; readonly rate: number; readonly seconds: number },
): Promise<readonly Sent[]> {
  const startedAt = performance.now();
  const sending: Promise<Sent>[] = [];
  for (let index = 0; index < load.rate * load.seconds; index += 1) {
    const at = startedAt + (index * 1_000) / load.rate;
    await sleep(Math.max(0, at - performance.now()));
    const customer = load.customers[index % load.customers.length];
    if (customer !== undefined) sending.push(sendOne(call, queueUrl, customer, at));
  }
  return await Promise.all(sending);
}

async function sendOne(call: CallService, queueUrl: string, customer: string, at: number): Promise<Sent> {
  const { runId, body } = settledRun(customer);
  await call('SendMessage', { QueueUrl: queueUrl, MessageBody: body });
  return { runId, at };
}

/** Sends many events for one customer at once. */
export async function sendBurst(
  call: CallService,
  queueUrl: string,
  customer: string,
  count: number,
): Promise<void> {
  const batches = Array.from({ length: Math.ceil(count / batchSize) }, (_, index) =>
    Math.min(batchSize, count - index * batchSize),
  ).values();
  const senders = Array.from({ length: sendersAtOnce }, async () => {
    for (const size of batches) {
      const Entries = Array.from({ length: size }, (_, index) => ({
        Id: String(index),
        MessageBody: settledRun(customer).body,
      }));
      await call('SendMessageBatch', { QueueUrl: queueUrl, Entries });
    }
  });
  await Promise.all(senders);
}

/** Number of messages in a queue, waiting and in flight. */
export async function queueDepth(
  call: CallService,
  queueUrl: string,
): Promise<{ readonly waiting: number; readonly inFlight: number }> {
  const answer = await call('GetQueueAttributes', { QueueUrl: queueUrl, AttributeNames: ['All'] });
  const { Attributes } = depth.parse(answer);
  return {
    waiting: Attributes.ApproximateNumberOfMessages,
    inFlight: Attributes.ApproximateNumberOfMessagesNotVisible,
  };
}

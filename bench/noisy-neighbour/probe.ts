import { z } from 'zod';
import type { CallService } from '../../local/stack/service-client.ts';

const created = z.object({ QueueUrl: z.string() });
const received = z.object({ Messages: z.array(z.object({ Body: z.string() })).default([]) });

/** As the service sends its deliveries: the endpoint in the body is also the message group. */
const bodyOf = (group: string) => JSON.stringify({ webhook_id: group });

/** Enough of one group in flight to make it noisy by the documented rule, and as many again that wait. */
const noisyInFlight = 40;
const batchSize = 10;

/**
 * Asks a queue of the emulator whether it serves quiet groups first: one group has forty messages in flight and forty
 * that wait, then ten of another come, then ten are received.
 *
 * @returns how many of those ten are of the quiet group: all of them if the queue is fair
 */
export async function countQuietFirst(call: CallService, queueName: string): Promise<number> {
  const { QueueUrl } = created.parse(await call('CreateQueue', { QueueName: queueName }));
  const receive = async () =>
    received.parse(await call('ReceiveMessage', { QueueUrl, MaxNumberOfMessages: batchSize })).Messages;
  for (let sent = 0; sent < 2 * noisyInFlight; sent += batchSize) await sendBatch(call, QueueUrl, 'noisy');
  for (let taken = 0; taken < noisyInFlight; taken += batchSize) await receive();
  await sendBatch(call, QueueUrl, 'quiet');
  const messages = await receive();
  await call('DeleteQueue', { QueueUrl });
  return messages.filter(({ Body }) => Body === bodyOf('quiet')).length;
}

async function sendBatch(call: CallService, QueueUrl: string, group: string): Promise<void> {
  await call('SendMessageBatch', {
    QueueUrl,
    Entries: Array.from({ length: batchSize }, (_, index) => ({
      Id: String(index),
      MessageBody: bodyOf(group),
      MessageGroupId: group,
    })),
  });
}

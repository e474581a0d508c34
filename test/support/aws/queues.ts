import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll } from 'vitest';
import * as z from 'zod';
import { connectQueues } from '#shared/aws/clients.ts';
import { type Emulator, startSqsEmulator } from './emulators.ts';

/** One SQS emulator for the tests of a file, which make queues as they need them. */
export function useQueues() {
  let emulator: Emulator;
  let client: SQSClient;
  beforeAll(async () => {
    emulator = await startSqsEmulator();
    client = connectQueues(emulator.config);
  });
  afterAll(async () => {
    client.destroy();
    await emulator.close();
  });

  return {
    client: () => client,
    config: () => emulator.config,
    make: () => makeQueue(client, `test-${randomUUID()}`),
    drain: (queueUrl: string) => drainQueue(client, queueUrl),
  };
}

/** @returns the URL of a new queue */
export async function makeQueue(
  client: SQSClient,
  QueueName: string,
  Attributes: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName, Attributes }));
  return z.string().parse(QueueUrl);
}

/** Receives and deletes everything that a queue has. */
export async function drainQueue(client: SQSClient, queueUrl: string): Promise<readonly Message[]> {
  const drained: Message[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) return drained;
    drained.push(...Messages);
    for (const { ReceiptHandle } of Messages) {
      await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
    }
  }
}

import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { describe } from 'vitest';
import { enqueueAttempts } from '#shared/aws/queues/delivery-queue.ts';
import { returnMessages } from '#shared/aws/queues/return-messages.ts';
import { makeQueue, useQueues } from '../support/aws/queues.ts';
import * as memory from '../support/memory/delivery-queue.ts';
import { immediateIo } from '../support/memory/io.ts';
import { MemoryQueue } from '../support/memory/queue.ts';
import { maxReceiveCount, type QueuePorts, queueSuite, type Received } from './queue-suite.ts';

describe('the queue in memory', () => queueSuite(memoryQueue));

describe('the queue in SQS', () => {
  const { client } = useQueues();

  queueSuite(() => sqsQueue(client()));
});

function memoryQueue(): QueuePorts {
  const queue = new MemoryQueue({ visibility: 180_000, maxReceiveCount }, () => 0);
  const send = (body: string): boolean => {
    queue.send(body);
    return true;
  };
  return {
    enqueueAttempts: memory.enqueueAttempts({ ordinary: send, slow: send }, immediateIo),
    receive: async () => queue.receive(10),
    delete: async (handle) => queue.delete(handle),
    returnMessages: async (messages) => {
      for (const { receiptHandle, waitSeconds } of messages)
        queue.changeVisibility(receiptHandle, waitSeconds * 1000);
    },
    deadLetters: async () => queue.deadLetters.map(({ body }) => body),
  };
}

async function sqsQueue(client: SQSClient): Promise<QueuePorts> {
  const name = randomUUID();
  const VisibilityTimeout = '180';
  const deadLetters = await makeQueue(client, `${name}-dead`, { VisibilityTimeout });
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetters, AttributeNames: ['QueueArn'] }),
  );
  const redrive = { deadLetterTargetArn: Attributes.QueueArn, maxReceiveCount };
  const RedrivePolicy = JSON.stringify(redrive);
  const QueueUrl = await makeQueue(client, name, { VisibilityTimeout, RedrivePolicy });
  return {
    enqueueAttempts: enqueueAttempts(client, { ordinary: QueueUrl, slow: QueueUrl }),
    receive: () => receive(client, QueueUrl),
    delete: async (ReceiptHandle) => {
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    },
    returnMessages: returnMessages(client, QueueUrl),
    deadLetters: async () => {
      const found = await receive(client, deadLetters);
      for (const { handle: ReceiptHandle } of found)
        await client.send(
          new ChangeMessageVisibilityCommand({ QueueUrl: deadLetters, ReceiptHandle, VisibilityTimeout: 0 }),
        );
      return found.map(({ body }) => body);
    },
  };
}

async function receive(client: SQSClient, QueueUrl: string): Promise<readonly Received[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 }),
  );
  return Messages.map(({ Body = '', ReceiptHandle = '' }) => ({ body: Body, handle: ReceiptHandle }));
}

import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it } from 'vitest';
import { enqueueAttempts } from '#shared/aws/queues/delivery-queue.ts';
import { type ReturnedMessage, returnMessages } from '#shared/aws/queues/return-messages.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import type { EnqueueAttempts } from '#shared/operations/ports.ts';
import { makeQueue, useQueues } from '../support/aws/queues.ts';

type Received = { readonly body: string; readonly handle: string };

/** A standard queue with dead letters, and what a test may do to it that an operation may not. */
type QueuePorts = {
  readonly enqueueAttempts: EnqueueAttempts;
  /** At most ten messages that are visible now. */
  readonly receive: () => Promise<readonly Received[]>;
  readonly delete: (handle: string) => Promise<void>;
  /** Changes when messages that were received are visible again. */
  readonly returnMessages: (messages: readonly ReturnedMessage[]) => Promise<void>;
  readonly deadLetters: () => Promise<readonly string[]>;
};

/** After this many receives a message is dead. */
const maxReceiveCount = 3;

/** What a queue owes its senders and its consumers. */
function queueSuite(connect: () => QueuePorts | Promise<QueuePorts>): void {
  let queue: QueuePorts;
  beforeEach(async () => {
    queue = await connect();
  });

  const attempts = (count: number): readonly DueAttempt[] =>
    Array.from({ length: count }, (_, number) => ({
      key: {
        customerId: 'cus_1',
        webhookId: `whe_${number % 3}`,
        id: `whd_${String(number).padStart(3, '0')}`,
      },
      attempt: 1 + (number % 3),
    }));
  const bodyOf = ({ key, attempt }: DueAttempt) =>
    JSON.stringify({
      customer_id: key.customerId,
      webhook_id: key.webhookId,
      delivery_id: key.id,
      attempt,
    });
  const bodiesOf = (received: readonly Received[]) => received.map(({ body }) => body).sort();
  const receiveAll = async (): Promise<readonly Received[]> => {
    const received = await queue.receive();
    return received.length === 0 ? [] : [...received, ...(await receiveAll())];
  };
  const release = (handle = '') => queue.returnMessages([{ receiptHandle: handle, waitSeconds: 0 }]);

  it('a queue takes any number of messages and gives each once while it is hidden', async () => {
    const sent = attempts(23);

    expect(await queue.enqueueAttempts(sent, 'ordinary')).toEqual([]);

    expect(bodiesOf(await receiveAll())).toEqual(sent.map(bodyOf).sort());
    expect(await queue.receive()).toEqual([]);
  });

  it('a queue gives at most ten messages at once', async () => {
    await queue.enqueueAttempts(attempts(15), 'ordinary');

    expect((await queue.receive()).length).toBeLessThanOrEqual(10);
  });

  it('a queue gives a message again that was not deleted, and never one that was', async () => {
    await queue.enqueueAttempts(attempts(2), 'ordinary');
    const [one, other] = await receiveAll();

    await queue.delete(one?.handle ?? '');
    await Promise.all([one, other].map((received) => release(received?.handle).catch(() => {})));

    expect(bodiesOf(await receiveAll())).toEqual([other?.body]);
  });

  it('a queue keeps two messages that say the same apart', async () => {
    const [due] = attempts(1);
    if (due !== undefined) await queue.enqueueAttempts([due, due], 'ordinary');

    const received = await receiveAll();
    await queue.delete(received[0]?.handle ?? '');
    await release(received[1]?.handle);

    expect(received).toHaveLength(2);
    expect(await receiveAll()).toHaveLength(1);
  });

  it(`moves a message to the dead letters instead of giving it more than ${maxReceiveCount} times`, async () => {
    await queue.enqueueAttempts(attempts(1), 'ordinary');

    for (let count = 0; count < maxReceiveCount; count += 1) {
      const [received, ...others] = await queue.receive();
      expect([received?.body, others]).toEqual([...attempts(1).map(bodyOf), []]);
      expect(await queue.deadLetters()).toEqual([]);
      await release(received?.handle);
    }

    expect(await queue.receive()).toEqual([]);
    expect(await queue.deadLetters()).toEqual(attempts(1).map(bodyOf));
  });

  it('a queue shows returned messages again, more than ten at once, and keeps those hidden that still wait', async () => {
    await queue.enqueueAttempts(attempts(13), 'ordinary');
    const [waiting, ...others] = await receiveAll();

    await queue.returnMessages([
      { receiptHandle: waiting?.handle ?? '', waitSeconds: 60 },
      ...others.map(({ handle }) => ({ receiptHandle: handle, waitSeconds: 0 })),
    ]);

    expect(bodiesOf(await receiveAll())).toEqual(bodiesOf(others));
  });

  it('a queue takes no message when there is nothing to send', async () => {
    expect(await queue.enqueueAttempts([], 'ordinary')).toEqual([]);
    expect(await queue.receive()).toEqual([]);
  });
}

describe('the queue in SQS', () => {
  const { client } = useQueues();

  queueSuite(() => sqsQueue(client()));
});

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

import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import { beforeEach, expect, it } from 'vitest';
import { enqueueAttempts } from '#shared/aws/queues/delivery-queue.ts';
import { returnMessages } from '#shared/aws/queues/return-messages.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import { makeQueue, useQueues } from '../support/aws/queues.ts';

type Received = { readonly body: string; readonly handle: string };

/** After this many receives a message is dead. */
const maxReceiveCount = 3;

const { client } = useQueues();

let queueUrl: string;
let deadLettersUrl: string;

beforeEach(async () => {
  const name = randomUUID();
  const VisibilityTimeout = '180';
  deadLettersUrl = await makeQueue(client(), `${name}-dead`, { VisibilityTimeout });
  const { Attributes = {} } = await client().send(
    new GetQueueAttributesCommand({ QueueUrl: deadLettersUrl, AttributeNames: ['QueueArn'] }),
  );
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes.QueueArn, maxReceiveCount });
  queueUrl = await makeQueue(client(), name, { VisibilityTimeout, RedrivePolicy });
});

const enqueue = (due: readonly DueAttempt[]) =>
  enqueueAttempts(client(), { ordinary: queueUrl, slow: queueUrl })(due, 'ordinary');

/** At most ten messages that are visible now. */
async function receive(QueueUrl = queueUrl): Promise<readonly Received[]> {
  const { Messages = [] } = await client().send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 }),
  );
  return Messages.map(({ Body = '', ReceiptHandle = '' }) => ({ body: Body, handle: ReceiptHandle }));
}

async function receiveAll(): Promise<readonly Received[]> {
  const received = await receive();
  return received.length === 0 ? [] : [...received, ...(await receiveAll())];
}

const remove = (ReceiptHandle = '') => client().send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));

const release = (...handles: readonly (string | undefined)[]) =>
  returnMessages(client(), queueUrl)(handles.map((receiptHandle = '') => ({ receiptHandle, waitSeconds: 0 })));

async function deadLetters(): Promise<readonly string[]> {
  const found = await receive(deadLettersUrl);
  for (const { handle: ReceiptHandle } of found)
    await client().send(
      new ChangeMessageVisibilityCommand({ QueueUrl: deadLettersUrl, ReceiptHandle, VisibilityTimeout: 0 }),
    );
  return found.map(({ body }) => body);
}

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

/** What a queue owes its senders and its consumers. */
it('a queue takes any number of messages and gives each once while it is hidden', async () => {
  const sent = attempts(23);

  expect(await enqueue(sent)).toEqual([]);

  expect(bodiesOf(await receiveAll())).toEqual(sent.map(bodyOf).sort());
  expect(await receive()).toEqual([]);
});

it('a queue gives at most ten messages at once', async () => {
  await enqueue(attempts(15));

  expect((await receive()).length).toBeLessThanOrEqual(10);
});

it('a queue gives a message again that was not deleted, and never one that was', async () => {
  await enqueue(attempts(2));
  const [one, other] = await receiveAll();

  await remove(one?.handle);
  await expect(release(one?.handle)).rejects.toThrow('Cannot change the visibility of 1 messages');
  await release(other?.handle);

  expect(bodiesOf(await receiveAll())).toEqual([other?.body]);
});

it('a queue tells how many messages it cannot give again, and gives the others', async () => {
  await enqueue(attempts(14));
  const [one, other, ...removed] = await receiveAll();
  for (const { handle } of removed) await remove(handle);

  const handles = [one, ...removed, other].map((each) => each?.handle);
  await expect(release(...handles)).rejects.toThrow('Cannot change the visibility of 12 messages');

  expect(bodiesOf(await receiveAll())).toEqual([one?.body, other?.body].toSorted());
});

it('a queue keeps two messages that say the same apart', async () => {
  const [due] = attempts(1);
  if (due !== undefined) await enqueue([due, due]);

  const received = await receiveAll();
  await remove(received[0]?.handle);
  await release(received[1]?.handle);

  expect(received).toHaveLength(2);
  expect(await receiveAll()).toHaveLength(1);
});

it(`moves a message to the dead letters instead of giving it more than ${maxReceiveCount} times`, async () => {
  await enqueue(attempts(1));

  for (let count = 0; count < maxReceiveCount; count += 1) {
    const [received, ...others] = await receive();
    expect([received?.body, others]).toEqual([...attempts(1).map(bodyOf), []]);
    expect(await deadLetters()).toEqual([]);
    await release(received?.handle);
  }

  expect(await receive()).toEqual([]);
  expect(await deadLetters()).toEqual(attempts(1).map(bodyOf));
});

it('a queue shows returned messages again, more than ten at once, and keeps those hidden that still wait', async () => {
  await enqueue(attempts(13));
  const [waiting, ...others] = await receiveAll();

  await returnMessages(
    client(),
    queueUrl,
  )([
    { receiptHandle: waiting?.handle ?? '', waitSeconds: 60 },
    ...others.map(({ handle }) => ({ receiptHandle: handle, waitSeconds: 0 })),
  ]);

  expect(bodiesOf(await receiveAll())).toEqual(bodiesOf(others));
});

it('a queue takes no message when there is nothing to send', async () => {
  expect(await enqueue([])).toEqual([]);
  expect(await receive()).toEqual([]);
});

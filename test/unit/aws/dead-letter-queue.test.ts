import {
  ChangeMessageVisibilityBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it } from 'vitest';
import { type DeadLetter, peekDeadLetters, sendAgain, takeDeadLetters } from '#shared/aws/queues/dead-letter-queue.ts';
import { commandsOf, unexpected, useMock } from '../../support/aws/aws-mocks.ts';

const queueUrl = 'https://sqs.us-east-1.amazonaws.com/123456789012/dead-letters';
const sentAt = 1_767_225_600_000;
const client = new SQSClient({ region: 'us-east-1' });
const mock = useMock(client);
beforeEach(() => void mock.on(ChangeMessageVisibilityBatchCommand).resolves({}));

const message = (number: number, more: Partial<Message> = {}): Message => ({
  MessageId: `id-${number}`,
  ReceiptHandle: `handle-${number}`,
  Body: '{"type":"run.saved"}',
  Attributes: { SentTimestamp: String(sentAt), ApproximateReceiveCount: '3' },
  ...more,
});
const trace = { DataType: 'String', StringValue: 'abc' };
const letter: DeadLetter = {
  id: 'id-1',
  body: '{"type":"run.saved"}',
  reason: null,
  sentAt,
  receiveCount: 3,
  groupId: null,
  attributes: { trace },
  receiptHandle: 'handle-1',
};

it('takeDeadLetters() receives messages with all attributes, of which the reason is one, and asks all servers of SQS', async () => {
  const MessageAttributes = { reason: { DataType: 'String', StringValue: 'run: is missing' }, trace };
  const Attributes = { ...message(2).Attributes, MessageGroupId: 'whe_1' };
  const second = message(2, { MessageAttributes, Attributes });
  const first = message(1, { MessageAttributes: { trace } });
  mock.on(ReceiveMessageCommand).resolves({ Messages: [first, second] });

  expect(await takeDeadLetters(client, queueUrl, 300)()).toEqual([
    letter,
    { ...letter, id: 'id-2', receiptHandle: 'handle-2', reason: 'run: is missing', groupId: 'whe_1' },
  ]);

  expect(commandsOf(mock)).toEqual([
    {
      ReceiveMessageCommand: {
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 300,
        WaitTimeSeconds: 1,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['SentTimestamp', 'ApproximateReceiveCount', 'MessageGroupId'],
      },
    },
  ]);
});

describe('peekDeadLetters()', () => {
  const peek = peekDeadLetters(client, queueUrl);
  const receives = (...answers: readonly (readonly Message[])[]) => {
    const receive = mock.on(ReceiveMessageCommand);
    for (const Messages of answers) receive.resolvesOnce({ Messages: [...Messages] });
    return receive;
  };
  const released = () =>
    mock
      .commandCalls(ChangeMessageVisibilityBatchCommand)
      .map(({ args: [{ input }] }) => input.Entries?.map(({ ReceiptHandle }) => ReceiptHandle));

  it('makes every message it received visible again, ten at a time', async () => {
    const messages = Array.from({ length: 12 }, (_, number) => message(number));
    receives(messages.slice(0, 10), messages.slice(10), []);

    const seen = await peek(100);

    expect(seen.map(({ id }) => id)).toEqual(messages.map(({ MessageId }) => MessageId));
    const handles = messages.map(({ ReceiptHandle }) => ReceiptHandle);
    expect(released()).toEqual([handles.slice(0, 10), handles.slice(10)]);
  });

  it('receives no more than its limit, and stops at the message with the requested id', async () => {
    receives([message(1)], [message(1), message(2)], [message(3)], [message(1), message(2)]);

    await peek(1);
    await peek(3);
    await peek(100, ({ id }) => id === 'id-2');

    const asked = mock.commandCalls(ReceiveMessageCommand).map(({ args: [{ input }] }) => input.MaxNumberOfMessages);
    expect(asked).toEqual([1, 3, 1, 10]);
  });

  it('stops when it receives a message again, and releases it by its newest handle', async () => {
    receives([message(1)], [message(1, { ReceiptHandle: 'handle-2' })]);

    expect(await peek(100)).toHaveLength(1);

    expect(released()).toEqual([['handle-2']]);
  });

  it('releases the messages it holds when the next receive fails', async () => {
    receives([message(1)]).rejects(unexpected);

    await expect(peek(100)).rejects.toBe(unexpected);

    expect(released()).toEqual([['handle-1']]);
  });
});

const ofDelivery = { customer_id: 'cus_1', webhook_id: 'whe_1', delivery_id: 'whd_1', attempt: 2 };
const body = JSON.stringify(ofDelivery);

it.each<[string, Partial<DeadLetter>, string | undefined]>([
  ['an intake message unchanged', {}, undefined],
  ['a body that is not JSON unchanged', { body: '{"type":', reason: 'The message is not JSON' }, undefined],
  ['a delivery in the group of its endpoint', { body }, 'whe_1'],
  ['any message in the group that it was received from', { body, groupId: 'whe_2' }, 'whe_2'],
])('sendAgain() sends %s, without its reason', async (_name, more, group) => {
  mock.on(SendMessageCommand).resolves({});

  await sendAgain(client, queueUrl)({ ...letter, ...more });

  const sent = {
    QueueUrl: queueUrl,
    MessageBody: more.body ?? letter.body,
    MessageAttributes: { trace },
    MessageGroupId: group,
  };
  expect(commandsOf(mock)).toEqual([{ SendMessageCommand: sent }]);
});

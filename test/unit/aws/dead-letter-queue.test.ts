import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import {
  countDeadLetters,
  type DeadLetter,
  deleteDeadLetter,
  peekDeadLetters,
  releaseDeadLetters,
  sendAgain,
  takeDeadLetters,
} from '#shared/aws/queues/dead-letter-queue.ts';
import { commandsOf, unexpected } from '../../support/aws/aws-mocks.ts';

const queueUrl = 'https://sqs.us-east-1.amazonaws.com/123456789012/dead-letters';
const sentAt = 1_767_225_600_000;

function setUp() {
  const client = new SQSClient({ region: 'us-east-1' });
  const mock = mockClient(client);
  mock.rejects(unexpected);
  return { client, mock };
}

function message(number: number, more: Partial<Message> = {}): Message {
  return {
    MessageId: `id-${number}`,
    ReceiptHandle: `handle-${number}`,
    Body: '{"type":"run.saved"}',
    Attributes: { SentTimestamp: String(sentAt), ApproximateReceiveCount: '3' },
    ...more,
  };
}

const letter: DeadLetter = {
  id: 'id-1',
  body: '{"type":"run.saved"}',
  reason: null,
  sentAt,
  receiveCount: 3,
  groupId: null,
  attributes: {},
  receiptHandle: 'handle-1',
};

const delivery = JSON.stringify({
  customer_id: 'cus_1',
  webhook_id: 'whe_1',
  delivery_id: 'whd_1',
  attempt: 2,
});

const release = (...numbers: readonly number[]) => ({
  ChangeMessageVisibilityBatchCommand: {
    QueueUrl: queueUrl,
    Entries: numbers.map((number, index) => ({
      Id: String(index),
      ReceiptHandle: `handle-${number}`,
      VisibilityTimeout: 0,
    })),
  },
});

describe('takeDeadLetters()', () => {
  it('receives messages with their attributes, and hides them for a while', async () => {
    const { client, mock } = setUp();
    mock.on(ReceiveMessageCommand).resolves({ Messages: [message(1)] });

    expect(await takeDeadLetters(client, queueUrl, 300)()).toEqual([letter]);

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

  it('separates the reason from the other attributes', async () => {
    const { client, mock } = setUp();
    const trace = { DataType: 'String', StringValue: 'abc' };
    const MessageAttributes = { reason: { DataType: 'String', StringValue: 'run: is missing' }, trace };
    const Attributes = { ...message(1).Attributes, MessageGroupId: 'whe_1' };
    mock.on(ReceiveMessageCommand).resolves({ Messages: [message(1, { MessageAttributes, Attributes })] });

    expect(await takeDeadLetters(client, queueUrl, 300)()).toEqual([
      { ...letter, reason: 'run: is missing', groupId: 'whe_1', attributes: { trace } },
    ]);
  });
});

describe('peekDeadLetters()', () => {
  it('makes every message it received visible again, ten at a time', async () => {
    const { client, mock } = setUp();
    const first = Array.from({ length: 10 }, (_, number) => message(number));
    mock
      .on(ReceiveMessageCommand)
      .resolvesOnce({ Messages: first })
      .resolvesOnce({ Messages: [message(10), message(11)] })
      .resolvesOnce({});
    mock.on(ChangeMessageVisibilityBatchCommand).resolves({});

    const seen = await peekDeadLetters(client, queueUrl)(100);

    expect(seen.map(({ id }) => id)).toEqual(Array.from({ length: 12 }, (_, number) => `id-${number}`));
    expect(commandsOf(mock).slice(3)).toEqual([release(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), release(10, 11)]);
  });

  it('receives no more than its limit', async () => {
    const { client, mock } = setUp();
    mock.on(ReceiveMessageCommand).resolves({ Messages: [message(1)] });
    mock.on(ChangeMessageVisibilityBatchCommand).resolves({});

    await peekDeadLetters(client, queueUrl)(1);

    expect(commandsOf(mock)).toMatchObject([
      { ReceiveMessageCommand: { MaxNumberOfMessages: 1 } },
      release(1),
    ]);
  });

  it('stops at the message with the requested id', async () => {
    const { client, mock } = setUp();
    mock.on(ReceiveMessageCommand).resolves({ Messages: [message(1), message(2)] });
    mock.on(ChangeMessageVisibilityBatchCommand).resolves({});

    await peekDeadLetters(client, queueUrl)(100, ({ id }) => id === 'id-2');

    expect(mock.commandCalls(ReceiveMessageCommand)).toHaveLength(1);
  });

  it('stops when it receives a message again, and releases it by its newest handle', async () => {
    const { client, mock } = setUp();
    mock
      .on(ReceiveMessageCommand)
      .resolvesOnce({ Messages: [message(1)] })
      .resolves({ Messages: [message(1, { ReceiptHandle: 'handle-2' })] });
    mock.on(ChangeMessageVisibilityBatchCommand).resolves({});

    expect(await peekDeadLetters(client, queueUrl)(100)).toHaveLength(1);

    expect(commandsOf(mock).slice(2)).toEqual([release(2)]);
  });

  it('releases the messages it holds when the next receive fails', async () => {
    const { client, mock } = setUp();
    mock
      .on(ReceiveMessageCommand)
      .resolvesOnce({ Messages: [message(1)] })
      .rejects(unexpected);
    mock.on(ChangeMessageVisibilityBatchCommand).resolves({});

    await expect(peekDeadLetters(client, queueUrl)(100)).rejects.toBe(unexpected);

    expect(commandsOf(mock).slice(2)).toEqual([release(1)]);
  });
});

describe('releaseDeadLetters()', () => {
  it('sends no request when there is nothing to release', async () => {
    const { client, mock } = setUp();

    await releaseDeadLetters(client, queueUrl)([]);

    expect(commandsOf(mock)).toEqual([]);
  });
});

describe('sendAgain()', () => {
  it.each<[string, Partial<DeadLetter>, string | undefined]>([
    ['an intake message unchanged', {}, undefined],
    ['a body that is not JSON unchanged', { body: '{"type":', reason: 'The message is not JSON' }, undefined],
    ['a delivery in the group of its endpoint', { body: delivery }, 'whe_1'],
    ['any message in the group that it was received from', { body: delivery, groupId: 'whe_2' }, 'whe_2'],
  ])('sends %s, without its reason', async (_name, more, group) => {
    const { client, mock } = setUp();
    mock.on(SendMessageCommand).resolves({});
    const attributes = { trace: { DataType: 'String', StringValue: 'abc' } };

    await sendAgain(client, queueUrl)({ ...letter, attributes, ...more });

    expect(commandsOf(mock)).toEqual([
      {
        SendMessageCommand: {
          QueueUrl: queueUrl,
          MessageBody: more.body ?? letter.body,
          MessageAttributes: attributes,
          MessageGroupId: group,
        },
      },
    ]);
  });
});

describe('deleteDeadLetter()', () => {
  it('deletes the message by the handle that it was received with', async () => {
    const { client, mock } = setUp();
    mock.on(DeleteMessageCommand).resolves({});

    await deleteDeadLetter(client, queueUrl)(letter);

    expect(commandsOf(mock)).toEqual([
      { DeleteMessageCommand: { QueueUrl: queueUrl, ReceiptHandle: 'handle-1' } },
    ]);
  });
});

describe('countDeadLetters()', () => {
  it('counts visible messages and messages in flight separately', async () => {
    const { client, mock } = setUp();
    mock.on(GetQueueAttributesCommand).resolves({
      Attributes: { ApproximateNumberOfMessages: '7', ApproximateNumberOfMessagesNotVisible: '2' },
    });

    expect(await countDeadLetters(client, queueUrl)).toEqual({ waiting: 7, held: 2 });
  });
});

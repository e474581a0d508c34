import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { enqueueAttempts } from '#shared/aws/queues/delivery-queue.ts';
import { sendToIntake } from '#shared/aws/queues/intake-queue.ts';
import { sendToDeadLetters } from '#shared/aws/queues/send-to-dead-letters.ts';
import { commandsOf, unexpected } from '../../support/aws/aws-mocks.ts';

const queueUrl = 'https://sqs.us-east-1.amazonaws.com/123456789012/queue';

function setUp() {
  const sqs = new SQSClient({ region: 'us-east-1' });
  const mock = mockClient(sqs);
  mock.rejects(unexpected);
  return { client: sqs, mock };
}

const attempts = (count: number) =>
  Array.from({ length: count }, (_, number) => ({
    key: { customerId: 'cus_1', webhookId: `whe_${number % 3}`, id: `whd_${number}` },
    attempt: 1,
  }));

const batchOf = (batch: ReturnType<typeof attempts>) => ({
  SendMessageBatchCommand: {
    QueueUrl: queueUrl,
    Entries: batch.map(({ key, attempt }, index) => ({
      Id: String(index),
      MessageBody: JSON.stringify({
        customer_id: 'cus_1',
        webhook_id: key.webhookId,
        delivery_id: key.id,
        attempt,
      }),
      MessageGroupId: key.webhookId,
    })),
  },
});

describe('sendToIntake()', () => {
  it('sends the message in the group of its customer', async () => {
    const { client, mock } = setUp();
    mock.on(SendMessageCommand).resolves({});
    const message = { type: 'run.settled', customer_id: 'cus_1', run: { id: 'run_1' } };

    await sendToIntake(client, queueUrl)(message);

    expect(commandsOf(mock)).toEqual([
      {
        SendMessageCommand: {
          QueueUrl: queueUrl,
          MessageBody: JSON.stringify(message),
          MessageGroupId: 'cus_1',
        },
      },
    ]);
  });
});

describe('enqueueAttempts()', () => {
  it('sends batches of ten, each message in the group of its endpoint', async () => {
    const { client, mock } = setUp();
    mock.on(SendMessageBatchCommand).resolves({ Failed: [] });
    const sent = attempts(23);

    expect(await enqueueAttempts(client, queueUrl)(sent)).toEqual([]);

    expect(commandsOf(mock)).toEqual([
      batchOf(sent.slice(0, 10)),
      batchOf(sent.slice(10, 20)),
      batchOf(sent.slice(20)),
    ]);
  });

  it('returns the attempts that the queue refused, from every batch', async () => {
    const { client, mock } = setUp();
    const failure = (Id: string) => ({ Id, Code: 'InternalError', SenderFault: false });
    mock
      .on(SendMessageBatchCommand)
      .resolvesOnce({ Failed: [failure('0'), failure('9')] })
      .resolvesOnce({ Failed: [failure('1')] });
    const sent = attempts(12);

    const refused = await enqueueAttempts(client, queueUrl)(sent);

    expect(refused).toEqual([sent[0], sent[9], sent[11]]);
  });

  it('throws when the queue cannot be reached', async () => {
    const { client } = setUp();

    await expect(enqueueAttempts(client, queueUrl)(attempts(1))).rejects.toBe(unexpected);
  });

  it('sends no request when there is nothing to send', async () => {
    const { client, mock } = setUp();

    expect(await enqueueAttempts(client, queueUrl)([])).toEqual([]);
    expect(commandsOf(mock)).toEqual([]);
  });
});

const mebibyte = 1024 * 1024;

describe('sendToDeadLetters()', () => {
  const sent = (reason: string) => ({
    SendMessageCommand: {
      QueueUrl: queueUrl,
      MessageBody: 'not JSON',
      MessageAttributes: { reason: { DataType: 'String', StringValue: reason } },
    },
  });

  it('moves the message unchanged, with the reason as an attribute', async () => {
    const { client, mock } = setUp();
    mock.on(SendMessageCommand).resolves({});

    await sendToDeadLetters(client, queueUrl)('not JSON', 'The message is not JSON');

    expect(commandsOf(mock)).toEqual([sent('The message is not JSON')]);
  });

  it('cuts a long reason', async () => {
    const { client, mock } = setUp();
    mock.on(SendMessageCommand).resolves({});

    await sendToDeadLetters(client, queueUrl)('not JSON', 'x'.repeat(5000));

    expect(commandsOf(mock)).toEqual([sent('x'.repeat(1000))]);
  });

  it('never exceeds 1 MiB, never changes the body, and cuts the reason to fit', async () => {
    const { client, mock } = setUp();
    mock.on(SendMessageCommand).resolves({});
    const reason = 'why: ünïcödé 😀 '.repeat(200);

    for (const room of [-12, 0, 3, 4, 5, 6, 7, 8, 19, 20, 21, 22, 23, 999, 1000, 1001, 9999]) {
      const body = 'x'.repeat(mebibyte - 12 - room);
      mock.resetHistory();

      await sendToDeadLetters(client, queueUrl)(body, reason);

      const input = mock.commandCalls(SendMessageCommand)[0]?.args[0].input;
      const given = input?.MessageAttributes?.reason?.StringValue;
      expect(input?.MessageBody === body).toBe(true);
      expect(given === undefined).toBe(room < 4);
      if (given === undefined) continue;
      const unused = Math.min(room, 1000) - Buffer.byteLength(given);
      expect(reason.startsWith(given) && given.isWellFormed()).toBe(true);
      expect(unused).toBeGreaterThanOrEqual(0);
      expect(unused).toBeLessThan(4);
    }
  });

  it('throws when the queue cannot be reached', async () => {
    const { client } = setUp();

    await expect(sendToDeadLetters(client, queueUrl)('not JSON', 'why')).rejects.toBe(unexpected);
  });
});

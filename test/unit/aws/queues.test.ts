import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { enqueueAttempts } from '#shared/aws/queues/delivery-queue.ts';
import { fittingReason, sendToDeadLetters } from '#shared/aws/queues/send-to-dead-letters.ts';
import { hasRefusedCharacter } from '../../../tools/local/aws/sqs/message.ts';
import { commandsOf, unexpected, useMock } from '../../support/aws/aws-mocks.ts';

const queueUrl = 'https://sqs.us-east-1.amazonaws.com/123456789012/queue';

const client = new SQSClient({ region: 'us-east-1' });
const mock = useMock(client);

const attempts = (count: number) =>
  Array.from({ length: count }, (_, number) => ({
    key: { customerId: 'cus_1', webhookId: `whe_${number % 3}`, id: `whd_${number}` },
    attempt: 1,
  }));

it.each<[string, () => Promise<unknown>]>([
  ['enqueueAttempts', () => enqueueAttempts(client, { slow: queueUrl })(attempts(1), 'slow')],
  ['sendToDeadLetters', () => sendToDeadLetters(client, queueUrl)('not JSON', 'why')],
])('%s() throws when the queue cannot be reached', async (_, send) => {
  await expect(send()).rejects.toBe(unexpected);
});

describe('enqueueAttempts()', () => {
  it('sends batches of ten, each message in the group of its endpoint', async () => {
    mock.on(SendMessageBatchCommand).resolves({ Failed: [] });
    const sent = attempts(23);

    expect(await enqueueAttempts(client, { slow: queueUrl })(sent, 'slow')).toEqual([]);

    const groups = mock
      .commandCalls(SendMessageBatchCommand)
      .map(({ args: [{ input }] }) => input.Entries?.map(({ MessageGroupId }) => MessageGroupId));
    const expected = sent.map(({ key }) => key.webhookId);
    expect(groups).toEqual([expected.slice(0, 10), expected.slice(10, 20), expected.slice(20)]);
  });

  it('sends to the queue of the lane, which holds an attempt back for its delay', async () => {
    mock.on(SendMessageBatchCommand).resolves({ Failed: [] });
    const due = attempts(2).map((attempt, index) => ({ ...attempt, delaySeconds: index * 9 }));
    const queueUrls = { ordinary: `${queueUrl}-ordinary`, slow: queueUrl };

    await enqueueAttempts(client, queueUrls)(due, 'slow');

    const [call] = mock.commandCalls(SendMessageBatchCommand);
    expect(call?.args[0].input).toMatchObject({
      QueueUrl: queueUrl,
      Entries: [{ DelaySeconds: 0 }, { DelaySeconds: 9 }],
    });
  });

  it('returns the attempts that the queue refused, from every batch', async () => {
    const failure = (Id: string) => ({ Id, Code: 'InternalError', SenderFault: false });
    mock
      .on(SendMessageBatchCommand)
      .resolvesOnce({ Failed: [failure('0'), failure('9')] })
      .resolvesOnce({ Failed: [failure('1')] });
    const sent = attempts(12);

    expect(await enqueueAttempts(client, { slow: queueUrl })(sent, 'slow')).toEqual([sent[0], sent[9], sent[11]]);
  });
});

describe('sendToDeadLetters()', () => {
  it('sends the message unchanged, with the reason as an attribute', async () => {
    mock.on(SendMessageCommand).resolves({});

    await sendToDeadLetters(client, queueUrl)('not JSON', 'The message is not JSON');

    const MessageAttributes = { reason: { DataType: 'String', StringValue: 'The message is not JSON' } };
    const sent = { QueueUrl: queueUrl, MessageBody: 'not JSON', MessageAttributes };
    expect(commandsOf(mock)).toEqual([{ SendMessageCommand: sent }]);
  });

  it.each([
    ['NUL', 'a\0b', 'a\ufffdb'],
    ['control characters', '\u0001\t\n\r\u001f\u007f', '\ufffd\t\n\r\ufffd\u007f'],
    ['halves of surrogate pairs', '\ud800 \udc00🎬', '\ufffd \ufffd🎬'],
    ['U+FFFE and U+FFFF', '\ufffe\uffff\ufffd\ue000', '\ufffd\ufffd\ufffd\ue000'],
  ])('replaces in the reason what SQS refuses: %s', (_, reason, given) => {
    expect(fittingReason('', reason)).toBe(given);
    expect(hasRefusedCharacter(given)).toBe(false);
  });

  it('cuts a reason after such a replacement', () => {
    expect(fittingReason('', '\0'.repeat(1_000))).toBe('\ufffd'.repeat(333));
  });

  const mebibyte = 1024 * 1024;
  const overhead = 'reasonString'.length;

  it.each([-12, 0, 3, 4, 5, 6, 7, 8, 19, 20, 21, 22, 23, 999, 1000, 1001, 9999])(
    'cuts a reason between characters, to 1,000 bytes and to the %i bytes that the body leaves of 1 MiB',
    (room) => {
      const reason = 'why: ünïcödé 😀 '.repeat(200);

      const body = mebibyte - overhead - room;
      const given = fittingReason('é'.repeat(body / 2) + 'x'.repeat(body % 2), reason);

      expect(given === null).toBe(room < 4);
      if (given === null) return;
      const unused = Math.min(room, 1000) - Buffer.byteLength(given);
      expect(reason.startsWith(given) && given.isWellFormed()).toBe(true);
      expect(unused).toBeGreaterThanOrEqual(0);
      expect(unused).toBeLessThan(4);
    },
  );
});

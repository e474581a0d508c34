import { getEventListeners } from 'node:events';
import { cp } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { type RunningSqs, startSqs } from '../../tools/local/aws/sqs/start-sqs.ts';
import { createServiceClient } from '../../tools/local/stack/service-client.ts';
import { temporaryFolder } from '../support/vitest/temporary-folder.ts';

// test/ports/queue.test.ts has what a queue owes the service, with the client that the service uses.

const received = z.object({
  Messages: z
    .array(z.looseObject({ Body: z.string(), ReceiptHandle: z.string(), Attributes: z.looseObject({}) }))
    .default([]),
});

let dir: string;
let sqs: RunningSqs;

beforeEach(async () => {
  dir = await temporaryFolder();
  sqs = await startSqs({ port: 0, dataDir: dir });
});
afterEach(async () => {
  vi.useRealTimers();
  await sqs[Symbol.asyncDispose]();
});

/** Starts on what the disk has at this moment, as after a kill: the queues before wrote nothing when they closed. */
async function killAndRestart(): Promise<void> {
  const copy = await temporaryFolder();
  await cp(dir, copy, { recursive: true });
  await sqs[Symbol.asyncDispose]();
  sqs = await startSqs({ port: 0, dataDir: copy });
}

async function createQueue(QueueName: string, Attributes: Record<string, string> = {}): Promise<string> {
  const created = await sqs.call('CreateQueue', { QueueName, Attributes });
  return z.object({ QueueUrl: z.string() }).parse(created).QueueUrl;
}

/** Two queues: messages move from the first to the second after that many receives. */
async function createWithDeadLetters(maxReceiveCount: number): Promise<readonly [string, string]> {
  const deadLetters = await createQueue('dead-letters');
  const deadLetterTargetArn = 'arn:aws:sqs:us-east-1:000000000000:dead-letters';
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount });
  return [await createQueue('work', { RedrivePolicy }), deadLetters];
}

const send = (QueueUrl: string, MessageBody: string, more: object = {}) =>
  sqs.call('SendMessage', { QueueUrl, MessageBody, ...more });

async function receive(QueueUrl: string, VisibilityTimeout = 30, WaitTimeSeconds = 0, more = {}) {
  const input = { QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds, VisibilityTimeout };
  const names = { MessageSystemAttributeNames: ['All'], MessageAttributeNames: ['All'] };
  return received.parse(await sqs.call('ReceiveMessage', { ...input, ...names }, more)).Messages;
}

const attributes = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, { DataType: 'Number', StringValue: '1' }]));

const bodies = async (queue: string) => (await receive(queue)).map(({ Body }) => Body);

async function release(QueueUrl: string, messages: readonly { readonly ReceiptHandle: string }[]) {
  for (const { ReceiptHandle } of messages)
    await sqs.call('ChangeMessageVisibility', { QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
}

/** Long polls and everything due wait for the test, until it ends. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
}

describe('startSqs()', () => {
  it('gives queue URLs that work without changes, over HTTP too', async () => {
    const queue = await createQueue('q');
    const client = createServiceClient('sqs', sqs.url);
    onTestFinished(client.close);

    const found = await client.call('GetQueueUrl', { QueueName: 'q' });

    expect([queue, found]).toEqual([`${sqs.url}/000000000000/q`, { QueueUrl: `${sqs.url}/000000000000/q` }]);
  });

  it('answers a long poll as soon as a message is sent or due, or after its wait', async () => {
    const queue = await createQueue('q');
    stopTime();
    const { signal } = new AbortController();
    const poll = async () => (await receive(queue, 30, 20, { signal })).map(({ Body }) => Body);

    const first = poll();
    await send(queue, 'hello');
    expect(await first).toEqual(['hello']);

    const second = poll();
    await send(queue, 'later', { DelaySeconds: 5 });
    expect(await bodies(queue)).toEqual([]);
    vi.advanceTimersByTime(5_000);
    expect(await second).toEqual(['later']);

    const third = poll();
    vi.advanceTimersByTime(20_000);
    expect(await third).toEqual([]);
    expect(getEventListeners(signal, 'abort'), 'a poller has one signal for all polls').toEqual([]);
  });

  it('shows each message when its own delay is over', async () => {
    const queue = await createQueue('q');
    stopTime();
    const delays = [1, 2, 3];
    for (const delay of delays) await send(queue, `after ${delay}`, { DelaySeconds: delay });

    for (const delay of delays) {
      vi.advanceTimersByTime(1_000);
      expect(await bodies(queue)).toEqual([`after ${delay}`]);
    }
  });

  it('hides a message for its visibility timeout, or as long as that was extended', async () => {
    const queue = await createQueue('q');
    await send(queue, 'slow');
    stopTime();

    const [first] = await receive(queue, 10);
    vi.advanceTimersByTime(9_999);
    expect(await bodies(queue)).toEqual([]);
    vi.advanceTimersByTime(1);
    const [second] = await receive(queue, 10);
    const { ReceiptHandle } = second ?? {};
    await sqs.call('ChangeMessageVisibility', { QueueUrl: queue, ReceiptHandle, VisibilityTimeout: 30 });

    expect([first, second].map((message) => message?.Attributes.ApproximateReceiveCount)).toEqual(['1', '2']);
    vi.advanceTimersByTime(29_999);
    expect(await bodies(queue)).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(await bodies(queue)).toEqual(['slow']);
  });

  it('keeps the group of a message on a standard queue, where it blocks nothing', async () => {
    const queue = await createQueue('q');
    await send(queue, 'one', { MessageGroupId: 'wh_1' });
    const Entries = [
      { Id: '1', MessageBody: 'two', MessageGroupId: 'wh_1' },
      { Id: '2', MessageBody: 'three' },
    ];
    await sqs.call('SendMessageBatch', { QueueUrl: queue, Entries });

    expect((await receive(queue)).map(({ Attributes }) => Attributes.MessageGroupId)).toEqual([
      'wh_1',
      'wh_1',
      undefined,
    ]);
  });

  it('accepts every character of XML 1.0 in a body or an attribute, and no other', async () => {
    const queue = await createQueue('q');
    const accepted = ['ü € \t\n', 'emoji 🎬👩‍👧', '𠮷'];

    for (const body of accepted) await send(queue, body);

    const reason = { DataType: 'String', StringValue: 'bad \uffff' };
    await expect(send(queue, 'bad \u0001')).rejects.toThrow('Invalid characters found');
    await expect(send(queue, 'good', { MessageAttributes: { reason } })).rejects.toThrow('Invalid characters');
    expect(await bodies(queue)).toEqual(accepted);
  });

  it.each([
    [{ MessageGroupId: '!'.repeat(128) }, true],
    [{ MessageGroupId: 'a'.repeat(129) }, false],
    [{ MessageGroupId: 'wh 1' }, false],
    [{ MessageGroupId: '' }, false],
    [{ MessageAttributes: { reason: { DataType: 'String.text', StringValue: 'bad' } } }, true],
    [{ MessageAttributes: { reason: { DataType: 'Text', StringValue: 'bad' } } }, false],
    [{ MessageAttributes: { reason: { DataType: 'String', StringValue: '' } } }, false],
    [{ MessageAttributes: { 'AWS.reason': { DataType: 'String', StringValue: 'bad' } } }, false],
    [{ MessageAttributes: attributes(10) }, true],
    [{ MessageAttributes: attributes(11) }, false],
  ])('a message with %j is accepted: %s', async (more, isAccepted) => {
    const sent = send(await createQueue('q'), 'hello', more);

    if (isAccepted) await sent;
    else await expect(sent).rejects.toMatchObject({ code: 'InvalidParameterValue' });
  });

  it('gives no message to a long poll whose caller is gone, and closes although one waits', async () => {
    const queue = await createQueue('q');
    const { call, close } = createServiceClient('sqs', sqs.url);
    onTestFinished(close);
    const gone = new AbortController();
    const poll = { QueueUrl: queue, WaitTimeSeconds: 20 };
    const left = call('ReceiveMessage', poll, { signal: gone.signal });
    // What was sent before an answer came has arrived: the poll, and then its end.
    const answered = () => call('ReceiveMessage', { QueueUrl: queue });
    await answered();

    gone.abort();
    await expect(left).rejects.toThrow('abort');
    await answered();
    await answered();
    await send(queue, 'kept');
    expect(await sqs.call('ReceiveMessage', poll, { signal: gone.signal })).toEqual({});
    expect(await bodies(queue)).toEqual(['kept']);

    const cut = sqs.call('ReceiveMessage', poll);
    await killAndRestart();
    expect(await cut).toEqual({});
  });

  it('names a folder that another stack uses', async () => {
    await expect(startSqs({ port: 0, dataDir: dir })).rejects.toThrow('end another stack that uses this folder');
    await expect(createQueue('still-here')).resolves.toContain('still-here');
  });
});

describe('fair queues', () => {
  async function sendMany(QueueUrl: string, count: number, group: object): Promise<void> {
    const Entries = Array.from({ length: 10 }, (_, n) => ({ Id: String(n), MessageBody: 'many', ...group }));
    for (let sent = 0; sent < count; sent += 10) await sqs.call('SendMessageBatch', { QueueUrl, Entries });
  }
  const many = (count: number) => Array.from({ length: count }, () => 'many');

  it('serves other groups before one with thirty messages in flight, until these are visible again', async () => {
    const queue = await createQueue('q');
    await sendMany(queue, 60, { MessageGroupId: 'loud' });
    const held = [await receive(queue), await receive(queue), await receive(queue)].flat();

    await send(queue, 'quiet', { MessageGroupId: 'quiet' });
    await send(queue, 'alone');

    const next = await receive(queue);
    expect(next.map(({ Body }) => Body)).toEqual(['quiet', 'alone', ...many(8)]);
    await release(queue, [...held, ...next]);
    await send(queue, 'quiet', { MessageGroupId: 'quiet' });
    expect(await bodies(queue)).toEqual(many(10));
  });
});

describe('after the end of the process', () => {
  it('keeps nothing without a folder', async () => {
    for (const _start of ['first', 'second']) {
      await using emulator = await startSqs({ port: 0 });

      await expect(emulator.call('GetQueueUrl', { QueueName: 'q' })).rejects.toThrow('does not exist');
      await emulator.call('CreateQueue', { QueueName: 'q' });
    }
  });

  it('queues outlive a killed process, under the new address and with their attributes', async () => {
    await createWithDeadLetters(3);
    await killAndRestart();

    const QueueUrl = `${sqs.url}/000000000000/work`;
    expect(await sqs.call('GetQueueUrl', { QueueName: 'work' })).toEqual({ QueueUrl });
    expect(await sqs.call('GetQueueAttributes', { QueueUrl, AttributeNames: ['All'] })).toMatchObject({
      Attributes: { RedrivePolicy: expect.stringContaining('"maxReceiveCount":3') },
    });
  });

  it('messages outlive a killed process in order, with their facts; those in flight are visible at once', async () => {
    const queue = await createQueue('q');
    await send(queue, 'deleted');
    await send(queue, 'in flight', { MessageGroupId: 'wh_1' });
    const [deleted] = await receive(queue, 600);
    await sqs.call('DeleteMessage', { QueueUrl: queue, ReceiptHandle: deleted?.ReceiptHandle });
    await send(queue, 'delayed', { DelaySeconds: 60 });
    const reason = { DataType: 'String', StringValue: 'bad' };
    await send(queue, 'waiting', { MessageAttributes: { reason } });
    await killAndRestart();

    expect(await receive(queue)).toMatchObject([
      { Body: 'in flight', Attributes: { MessageGroupId: 'wh_1', ApproximateReceiveCount: '2' } },
      { Body: 'waiting', MessageAttributes: { reason } },
    ]);
  });

  it('messages outlive a killed process after a return, a move to the dead letters and a change of their queue', async () => {
    const [queue, deadLetters] = await createWithDeadLetters(1);
    const other = await createQueue('other');
    await send(other, 'kept');
    await sqs.call('SetQueueAttributes', { QueueUrl: other, Attributes: { VisibilityTimeout: '60' } });
    await send(queue, 'poison');
    await release(queue, await receive(queue));
    await receive(queue);
    await killAndRestart();

    expect([await bodies(queue), await bodies(deadLetters), await bodies(other)]).toEqual([[], ['poison'], ['kept']]);
  });
});

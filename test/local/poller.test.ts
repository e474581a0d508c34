import type { SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { completedMessages } from '../../tools/local/aws/events/batch.ts';
import { createQueueReader, type QueueReader } from '../../tools/local/aws/events/queue-reader.ts';
import { startScheduleRules } from '../../tools/local/aws/events/schedule-rules.ts';
import { type RunningPoller, startSqsPoller } from '../../tools/local/aws/events/sqs-poller.ts';
import type { InvokeResult } from '../../tools/local/aws/lambda/protocol.ts';
import { type RunningSqs, startSqs } from '../../tools/local/aws/sqs/start-sqs.ts';
import type { EventSourceMapping } from '../../tools/local/template/function-model.ts';

const mapping: EventSourceMapping = {
  queueArn: 'arn:aws:sqs:us-east-1:000000000000:work',
  functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:worker',
  batchSize: 10,
  batchingWindowSeconds: 0,
  reportsBatchItemFailures: true,
  maximumConcurrency: undefined,
};

const done: InvokeResult = { ok: true, payload: { batchItemFailures: [] } };

let sqs: RunningSqs;
let queueUrl: string;
let reader: QueueReader;
let events: SQSEvent[];
let errors: unknown[];
let hasIdleProcessor: boolean;

beforeEach(async () => {
  // The test moves the clock of the poller and of the queue, which are in this process.
  vi.useFakeTimers({
    toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  });
  sqs = await startSqs({ port: 0 });
  queueUrl = `${sqs.url}/000000000000/work`;
  reader = createQueueReader(sqs.call, queueUrl);
  events = [];
  errors = [];
  hasIdleProcessor = true;
  await sqs.call('CreateQueue', { QueueName: 'work', Attributes: { VisibilityTimeout: '43200' } });
});
afterEach(async () => {
  vi.useRealTimers();
  await sqs[Symbol.asyncDispose]();
});

function poll(
  handle: (event: SQSEvent) => Promise<InvokeResult> | InvokeResult,
  change: Partial<EventSourceMapping> = {},
  queue: QueueReader = reader,
): RunningPoller {
  const poller = startSqsPoller({
    mapping: { ...mapping, ...change },
    queue,
    invoke: async (event) => {
      events.push(event);
      return await handle(event);
    },
    hasIdleProcessor: () => hasIdleProcessor,
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => poller.close());
  return poller;
}

/** Lets that many milliseconds pass, and everything happen that is ready then. */
const pass = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds);

async function send(...bodies: readonly string[]): Promise<void> {
  const Entries = bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
  await sqs.call('SendMessageBatch', { QueueUrl: queueUrl, Entries });
}

/** Sends a message of a group. */
const sendOf = (MessageGroupId: string, MessageBody: string) =>
  sqs.call('SendMessage', { QueueUrl: queueUrl, MessageBody, MessageGroupId });

/** Polls for batches of one message that end when the test says so, or ends. */
function pollHeld(change: Partial<EventSourceMapping> = {}) {
  const held: PromiseWithResolvers<InvokeResult>[] = [];
  let isOver = false;
  const hold = () => {
    if (isOver) return done;
    const next = Promise.withResolvers<InvokeResult>();
    held.push(next);
    return next.promise;
  };
  const end = () => held.splice(0).forEach(({ resolve }) => void resolve(done));
  poll(hold, { batchSize: 1, ...change });
  // Before the poller closes, which waits for its batches.
  onTestFinished(() => {
    isOver = true;
    end();
  });
  return { held, end };
}

/** Messages that are in the queue, in flight or not. */
async function left(): Promise<number> {
  const answer = await sqs.call('GetQueueAttributes', { QueueUrl: queueUrl, AttributeNames: ['All'] });
  const { Attributes } = z.object({ Attributes: z.record(z.string(), z.coerce.number().catch(0)) }).parse(answer);
  const { ApproximateNumberOfMessages: visible = 0, ApproximateNumberOfMessagesNotVisible: hidden = 0 } = Attributes;
  return visible + hidden;
}

const bodies = () => events.flatMap(({ Records }) => Records.map(({ body }) => body));
const sizes = () => events.map(({ Records }) => Records.length);

describe('startSqsPoller()', () => {
  it('invokes with a batch as Lambda does, as soon as a message comes, and deletes what was completed', async () => {
    poll(() => done);
    await pass();

    await sqs.call('SendMessage', {
      QueueUrl: queueUrl,
      MessageBody: 'a',
      MessageAttributes: { kind: { DataType: 'String', StringValue: 'x' } },
    });
    await pass();

    expect(events.map(({ Records }) => Records)).toEqual([
      [
        {
          messageId: expect.any(String),
          receiptHandle: expect.any(String),
          body: 'a',
          attributes: expect.objectContaining({
            ApproximateReceiveCount: '1',
            SentTimestamp: expect.stringMatching(/^\d{13}$/),
          }),
          messageAttributes: {
            kind: { dataType: 'String', stringValue: 'x', stringListValues: [], binaryListValues: [] },
          },
          md5OfBody: '0cc175b9c0f1b6a831c399e269772661',
          md5OfMessageAttributes: expect.any(String),
          eventSource: 'aws:sqs',
          eventSourceARN: mapping.queueArn,
          awsRegion: 'us-east-1',
        },
      ],
    ]);
    expect(await left()).toBe(0);
  });

  it('leaves only the reported items, which are received again after the visibility timeout', async () => {
    await send('good', 'bad');

    poll(({ Records }) => {
      const bad = Records.filter(
        ({ body, attributes }) => body === 'bad' && attributes.ApproximateReceiveCount === '1',
      );
      const batchItemFailures = bad.map(({ messageId }) => ({ itemIdentifier: messageId }));
      return { ok: true, payload: { batchItemFailures } };
    });
    await pass();
    expect(await left()).toBe(1);
    await pass(43_200_000);

    expect(await left()).toBe(0);
    expect(bodies()).toEqual(['good', 'bad', 'bad']);
  });

  it('gives at most the batch size to one invocation', async () => {
    await send('a', 'b', 'c', 'd', 'e');

    poll(() => done, { batchSize: 2 });
    await pass();

    expect(sizes()).toEqual([2, 2, 1]);
  });

  it('waits for the batching window to fill a batch, and no longer', async () => {
    poll(() => done, { batchSize: 12, batchingWindowSeconds: 20, maximumConcurrency: 1 });
    await send('1', '2', '3', '4', '5', '6');
    await pass(19_000);
    await send('7', '8', '9', '10', '11', '12');
    await pass();
    expect(sizes()).toEqual([12]);

    await send('13');
    await pass(19_999);
    expect(sizes()).toEqual([12]);
    await pass(1);
    expect(sizes()).toEqual([12, 1]);
  });

  it.each([
    { maximumConcurrency: 50, running: 3 },
    { maximumConcurrency: 2, running: 2 },
    { maximumConcurrency: undefined, running: 3 },
  ])(
    'runs $running batches at once with a maximum of $maximumConcurrency, and then the messages that wait',
    async ({ maximumConcurrency, running }) => {
      const held = Promise.withResolvers<InvokeResult>();
      for (let sent = 0; sent < 12; sent += 1) await send('a');

      poll(() => held.promise, { batchSize: 1, maximumConcurrency });
      await pass(99);
      expect(events).toHaveLength(running);
      held.resolve(done);
      await pass();

      expect([events.length, await left()]).toEqual([12, 0]);
    },
  );

  it('splits messages that are too large together for one event of 6 MB', async () => {
    for (let sent = 0; sent < 8; sent += 1) await send('x'.repeat(1_000_000));

    poll(() => done, { maximumConcurrency: 1 });
    await pass();

    expect(sizes()).toEqual([6, 2]);
  });

  it('continues after the queue could not be reached', async () => {
    vi.useRealTimers();
    let failures = 2;
    const continued = Promise.withResolvers<InvokeResult>();
    await send('a');
    const receive: QueueReader['receive'] = (...given) => {
      failures -= 1;
      return failures >= 0 ? Promise.reject(new Error('no connection')) : reader.receive(...given);
    };

    poll(
      () => {
        continued.resolve(done);
        return done;
      },
      {},
      { ...reader, receive },
    );
    await continued.promise;

    expect([bodies(), errors.length]).toEqual([['a'], 2]);
  });

  it('takes another batch for each that waits for a receiver while a processor is idle, and three again when they have ended', async () => {
    const { held, end } = pollHeld({ maximumConcurrency: 11 });
    const sendMore = async () => {
      for (let sent = 0; sent < 14; sent += 1) await send(`${sent}`);
      await pass();
    };
    hasIdleProcessor = false;
    await sendMore();
    await pass(200);
    expect(held).toHaveLength(3);

    hasIdleProcessor = true;
    await pass(100);
    expect(held).toHaveLength(6);
    await pass(200);
    expect(held).toHaveLength(11);

    end();
    await pass();
    await sendMore();
    expect(held).toHaveLength(3);
  });

  it('takes another batch for each that lasts longer than its work can, although the processors are busy', async () => {
    hasIdleProcessor = false;
    for (let sent = 0; sent < 14; sent += 1) await send(`${sent}`);
    const { held } = pollHeld({ maximumConcurrency: 11 });
    await pass(299);
    expect(held).toHaveLength(3);

    await pass(1);

    expect(held).toHaveLength(6);
  });

  it('begins next with a group that has fewer batches at work than the others', async () => {
    hasIdleProcessor = false;
    for (let sent = 0; sent < 10; sent += 1) await sendOf('noisy', 'burst');
    await sendOf('calm', 'quiet');
    const { held } = pollHeld();
    await pass();
    expect(bodies()).toEqual(['burst', 'burst', 'burst']);

    held.shift()?.resolve(done);
    await pass();
    held.shift()?.resolve(done);
    await pass();

    expect(bodies()).toEqual(['burst', 'burst', 'burst', 'burst', 'quiet']);
  });

  it('closes after the batches in flight, and receives nothing after that', async () => {
    const running = Promise.withResolvers<InvokeResult>();
    await send('a');
    const poller = poll(() => running.promise);
    await pass();

    const closed = poller.close();
    running.resolve(done);
    await closed;
    await send('b');
    await pass();

    expect([await left(), bodies()]).toEqual([1, ['a']]);
  });
});

describe('completedMessages()', () => {
  const message = (MessageId: string) => ({
    MessageId,
    ReceiptHandle: MessageId,
    Body: '',
    MD5OfBody: '',
    Attributes: {},
    MessageAttributes: {},
  });
  const payload = (value: unknown): InvokeResult => ({ ok: true, payload: value });

  it.each<[string, InvokeResult, number]>([
    ['a function error', { ok: false, errorType: 'Error', errorMessage: 'x' }, 0],
    ['an answer of another shape', payload({ batchItemFailures: 'all' }), 0],
    ['a name that is not in the batch', payload({ batchItemFailures: [{ itemIdentifier: 'other' }] }), 0],
    ['an empty name', payload({ batchItemFailures: [{ itemIdentifier: '' }] }), 0],
    ['null', payload(null), 2],
    ['an empty object', payload({}), 2],
    ['null for the list', payload({ batchItemFailures: null }), 2],
  ])('after %s, the whole batch is left or completed', (_case, result, completed) => {
    expect(completedMessages([message('a'), message('b')], result, true)).toHaveLength(completed);
  });

  it('ignores the answer when the mapping reports no item failures', () => {
    expect(completedMessages([message('a')], payload({ batchItemFailures: 'all' }), false)).toHaveLength(1);
  });
});

describe('startScheduleRules()', () => {
  it('fires no faster than the least interval, one run at a time, until it is closed', async () => {
    const invoke = vi.fn(() => run.promise);
    let run = Promise.withResolvers<void>();
    const rule = { arn: 'rule', functionArn: 'sweep', intervalSeconds: 300 };
    const rules = startScheduleRules({ rules: [rule], timeScale: 600, minInterval: 5_000, invoke });

    await pass(4_999);
    expect(invoke).not.toHaveBeenCalled();
    await pass(10_001);
    expect(invoke.mock.calls).toEqual([
      ['sweep', expect.objectContaining({ source: 'aws.events', resources: ['rule'] })],
    ]);
    run.resolve();
    run = Promise.withResolvers();
    await pass(5_000);
    expect(invoke).toHaveBeenCalledTimes(2);

    const closed = rules.close();
    run.resolve();
    await closed;
    await pass(50_000);
    expect(invoke).toHaveBeenCalledTimes(2);
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createQueueReader, type QueueReader } from '../../local/aws/events/queue-reader.ts';
import { startScheduleRules } from '../../local/aws/events/schedule-rules.ts';
import { watchSpareTime } from '../../local/aws/events/spare-time.ts';
import { type RunningPoller, startSqsPoller } from '../../local/aws/events/sqs-poller.ts';
import type { InvokeResult } from '../../local/aws/lambda/protocol.ts';
import { type RunningSqs, startSqs } from '../../local/aws/sqs/start-sqs.ts';
import { createServiceClient } from '../../local/stack/service-client.ts';
import type { EventSourceMapping } from '../../local/template/function-model.ts';

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
let client: ReturnType<typeof createServiceClient>;
let queueUrl: string;
let events: SQSEvent[];
let errors: unknown[];
let hasSpareTime: boolean;

beforeEach(async () => {
  sqs = await startSqs({ port: 0 });
  client = createServiceClient('sqs', sqs.url);
  queueUrl = `${sqs.url}/000000000000/work`;
  events = [];
  errors = [];
  hasSpareTime = true;
  // No message is received again while a test runs, however long that takes.
  await client.call('CreateQueue', { QueueName: 'work', Attributes: { VisibilityTimeout: '43200' } });
});
afterEach(async () => {
  client.close();
  await sqs[Symbol.asyncDispose]();
});

function poll(
  handle: (event: SQSEvent) => Promise<InvokeResult> | InvokeResult,
  change: Partial<EventSourceMapping> = {},
  queue: QueueReader = createQueueReader(client.call, queueUrl),
): RunningPoller {
  const poller = startSqsPoller({
    mapping: { ...mapping, ...change },
    queue,
    invoke: async (event) => {
      events.push(event);
      return await handle(event);
    },
    onError: (error) => errors.push(error),
    hasSpareTime: () => hasSpareTime,
  });
  onTestFinished(() => poller.close());
  return poller;
}

async function send(...bodies: readonly string[]): Promise<void> {
  const Entries = bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
  await client.call('SendMessageBatch', { QueueUrl: queueUrl, Entries });
}

/** Messages that are in the queue, in flight or not. */
async function left(): Promise<number> {
  const answer = await client.call('GetQueueAttributes', { QueueUrl: queueUrl, AttributeNames: ['All'] });
  const attributes = JSON.parse(JSON.stringify(answer)).Attributes;
  return (
    Number(attributes.ApproximateNumberOfMessages) + Number(attributes.ApproximateNumberOfMessagesNotVisible)
  );
}

function bodies(): string[] {
  return events.flatMap(({ Records }) => Records.map(({ body }) => body));
}

describe('startSqsPoller()', () => {
  it('invokes with a batch as Lambda does, and deletes completed messages', async () => {
    await client.call('SendMessage', {
      QueueUrl: queueUrl,
      MessageBody: 'a',
      MessageAttributes: { kind: { DataType: 'String', StringValue: 'x' } },
    });

    poll(() => done);

    await expect.poll(left).toBe(0);
    expect(events).toHaveLength(1);
    expect(events[0]?.Records).toEqual([
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
    ]);
  });

  it('wakes up at once when a message comes', async () => {
    poll(() => done);

    await send('a');

    await expect.poll(bodies).toEqual(['a']);
  });

  it('leaves only the reported items, which are received again after the visibility timeout', async () => {
    await send('good', 'bad');

    poll(({ Records }) => {
      const bad = Records.filter(
        ({ body, attributes }) => body === 'bad' && attributes.ApproximateReceiveCount === '1',
      );
      return {
        ok: true,
        payload: { batchItemFailures: bad.map(({ messageId }) => ({ itemIdentifier: messageId })) },
      };
    });

    await expect.poll(left).toBe(1);
    const [bad] = events.flatMap(({ Records }) => Records).filter(({ body }) => body === 'bad');
    await client.call('ChangeMessageVisibility', {
      QueueUrl: queueUrl,
      ReceiptHandle: bad?.receiptHandle,
      VisibilityTimeout: 0,
    });

    await expect.poll(left).toBe(0);
    expect(bodies().sort()).toEqual(['bad', 'bad', 'good']);
  });

  it.each([
    ['a function error', { ok: false, errorType: 'Error', errorMessage: 'x' }],
    ['an answer of another shape', { ok: true, payload: { batchItemFailures: 'all' } }],
    [
      'a name that is not in the batch',
      { ok: true, payload: { batchItemFailures: [{ itemIdentifier: 'other' }] } },
    ],
    ['an empty name', { ok: true, payload: { batchItemFailures: [{ itemIdentifier: '' }] } }],
  ] as const)('leaves the whole batch after %s', async (_case, result) => {
    await send('a', 'b');

    const poller = poll(() => result);
    await expect.poll(() => bodies().length).toBeGreaterThanOrEqual(2);
    await poller.close();

    expect(await left()).toBe(2);
  });

  it.each([
    ['null', null],
    ['an empty object', {}],
    ['null for the list', { batchItemFailures: null }],
  ])('treats %s as success', async (_case, payload) => {
    await send('a', 'b');

    poll(() => ({ ok: true, payload }));

    await expect.poll(left).toBe(0);
  });

  it('ignores the answer when the mapping reports no item failures', async () => {
    await send('a');

    poll(() => ({ ok: true, payload: { batchItemFailures: 'all' } }), { reportsBatchItemFailures: false });

    await expect.poll(left).toBe(0);
  });

  it('gives at most the batch size to one invocation, and waits for the batching window to fill a batch', async () => {
    await send('a', 'b', 'c', 'd', 'e');
    poll(() => done, { batchSize: 2 });
    await expect.poll(() => bodies().length).toBe(5);
    expect(events.map(({ Records }) => Records.length)).toEqual([2, 2, 1]);

    await client.call('CreateQueue', { QueueName: 'windowed' });
    queueUrl = `${sqs.url}/000000000000/windowed`;
    events = [];
    poll(() => done, { batchSize: 12, batchingWindowSeconds: 20, maximumConcurrency: 1 });
    await send('1', '2', '3', '4', '5', '6');
    await send('7', '8', '9', '10', '11', '12');

    await expect.poll(() => events.map(({ Records }) => Records.length)).toEqual([12]);
  });

  it('runs several batches at once, but not more than the mapping allows', async () => {
    let running = 0;
    let most = 0;
    const both = Promise.withResolvers<void>();
    await send('a', 'b', 'c', 'd', 'e', 'f');

    poll(
      async () => {
        running += 1;
        most = Math.max(most, running);
        if (running === 2) both.resolve();
        await both.promise;
        await new Promise((resolve) => setTimeout(resolve, 50));
        running -= 1;
        return done;
      },
      { batchSize: 1, maximumConcurrency: 2 },
    );

    await expect.poll(left).toBe(0);
    expect(most).toBe(2);
  });

  it('starts with five batches at once, and adds one at a time while messages wait, up to the maximum', async () => {
    const held = Promise.withResolvers<InvokeResult>();
    for (let sent = 0; sent < 10; sent += 1) await send('a');

    const poller = poll(() => held.promise, { batchSize: 1, maximumConcurrency: 8 });
    await expect.poll(() => poller.inFlight()).toBe(5);
    expect(poller.concurrency()).toBe(5);

    await expect.poll(() => poller.inFlight()).toBe(8);
    held.resolve(done);
    await expect.poll(left).toBe(0);
    expect(poller.concurrency()).toBe(8);
  });

  it('does not grow while the machine has no processor time to spare, and shrinks to five batches then', async () => {
    const holds: PromiseWithResolvers<InvokeResult>[] = [];
    const hold = () => {
      const held = Promise.withResolvers<InvokeResult>();
      holds.push(held);
      return held.promise;
    };
    for (let sent = 0; sent < 4; sent += 1) await send('a', 'a', 'a', 'a', 'a');
    const poller = poll(hold, { batchSize: 1 });
    await expect.poll(() => poller.concurrency()).toBe(7);

    hasSpareTime = false;
    const release = setInterval(() => holds.pop()?.resolve(done), 50);
    onTestFinished(() => clearInterval(release));

    await expect.poll(() => poller.concurrency()).toBe(5);
    await expect.poll(left).toBe(0);
  });

  it.each([
    { maximumConcurrency: 50, kept: 5 },
    { maximumConcurrency: 3, kept: 3 },
    { maximumConcurrency: undefined, kept: 2 },
  ])(
    'keeps $kept polls when idle with a maximum of $maximumConcurrency',
    async ({ maximumConcurrency, kept }) => {
      const receive: QueueReader['receive'] = async (_count, _waitMs, signal) => {
        await sleep(5, undefined, { signal });
        return [];
      };

      const poller = poll(() => done, { maximumConcurrency }, { receive, delete: async () => {} });
      await expect.poll(() => poller.concurrency()).toBe(kept);
      await sleep(50);

      expect(poller.concurrency()).toBe(kept);
    },
  );

  it('does not grow while a lane waits for messages', async () => {
    const held = Promise.withResolvers<InvokeResult>();
    await send('a', 'b', 'c', 'd');

    const poller = poll(() => held.promise, { batchSize: 1, maximumConcurrency: 8 });
    await expect.poll(() => poller.inFlight()).toBe(4);
    await sleep(500);

    expect(poller.concurrency()).toBe(5);
    held.resolve(done);
  });

  it('splits messages that are too large together for one event of 6 MB', async () => {
    const body = 'x'.repeat(1_000_000);
    for (let sent = 0; sent < 8; sent += 1) await send(body);

    poll(() => done, { maximumConcurrency: 1 });

    await expect.poll(() => events.map(({ Records }) => Records.length)).toEqual([6, 2]);
  });

  it('continues after the queue could not be reached', async () => {
    const reader = createQueueReader(client.call, queueUrl);
    let failures = 2;
    await send('a');

    poll(
      () => done,
      {},
      {
        ...reader,
        receive: (...given) => {
          failures -= 1;
          return failures >= 0 ? Promise.reject(new Error('no connection')) : reader.receive(...given);
        },
      },
    );

    await expect.poll(bodies).toEqual(['a']);
    expect(errors).toHaveLength(2);
  });

  it('closes after the batches in flight, and receives nothing after that', async () => {
    const running = Promise.withResolvers<InvokeResult>();
    await send('a');
    const poller = poll(() => running.promise);
    await expect.poll(() => events.length).toBe(1);

    const closed = poller.close();
    running.resolve(done);
    await closed;
    await send('b');

    expect(await left()).toBe(1);
    expect(bodies()).toEqual(['a']);
  });
});

describe('watchSpareTime()', () => {
  it.each([
    { idle: 10, total: 100, expected: true },
    { idle: 9, total: 100, expected: false },
    { idle: 0, total: 0, expected: true },
  ])('is $expected after $idle of $total ms were idle', async ({ idle, total, expected }) => {
    const readings = [
      { idle: 50, total: 500 },
      { idle: 50 + idle, total: 500 + total },
    ];
    const hasSpare = watchSpareTime(() => readings.shift() ?? { idle: 0, total: 0 });
    await sleep(210);

    expect([hasSpare(), hasSpare()]).toEqual([expected, expected]);
  });
});

describe('startScheduleRules()', () => {
  it('fires at the scaled rate, one run at a time, until it is closed', async () => {
    const fired: unknown[] = [];
    const running = Promise.withResolvers<void>();
    const rules = startScheduleRules({
      rules: [{ arn: 'rule', functionArn: 'sweep', intervalSeconds: 300 }],
      timeScale: 1_200,
      invoke: (functionArn, event) => {
        fired.push([functionArn, event.source, event.resources]);
        return running.promise;
      },
    });

    await expect.poll(() => fired.length).toBe(1);
    const closed = rules.close();
    running.resolve();
    await closed;

    expect(fired).toEqual([['sweep', 'aws.events', ['rule']]]);
  });
});

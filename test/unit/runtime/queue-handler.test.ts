import type { SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { deliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { queueHandler } from '#shared/runtime/queue-handler.ts';
import { buildSqsEvent, lambdaContext, useOutput } from '../../support/aws/lambda-events.ts';
import { readEmbedded } from '../../support/metrics/embedded-format.ts';
import { unexpected } from '../../support/operations/deps.ts';
import { intakeExamples } from '../../support/values/intake-messages.ts';

type Deps<T> = Parameters<typeof queueHandler<T>>[1];

const numbered = z.object({ n: z.int() });
const failures = (...ids: string[]) => ({ batchItemFailures: ids.map((id) => ({ itemIdentifier: id })) });
const unreachable = () => Promise.reject(new Error('unreachable'));

const output = useOutput();

/** Handles a batch of messages, none of which may reach the operation by default. */
async function handle<T>(schema: z.ZodMiniType<T>, event: SQSEvent, given: Partial<Deps<T>> = {}) {
  const moved: { readonly body: string; readonly reason: string }[] = [];
  const returned: unknown[] = [];
  const handler = queueHandler(schema, {
    now: () => 300_000,
    queue: 'delivery',
    process: unexpected('process'),
    returnMessages: async (messages) => void returned.push(...messages),
    sendToDeadLetters: async (body, reason) => void moved.push({ body, reason }),
    ...given,
  });
  return { answer: await handler(event, lambdaContext), moved, returned };
}

/** An operation that retries what is negative, and refuses what is over 100. */
const process: Deps<z.infer<typeof numbered>>['process'] = async (messages) =>
  messages.map(({ n }) => (n > 100 ? { refused: 'too large' } : n < 0 ? 'retry' : 'done'));

const handleNumbers = (event: SQSEvent, given: Partial<Deps<z.infer<typeof numbered>>> = {}) =>
  handle(numbered, event, { process, ...given });

/** One message to retry for each given receive count, the oldest first. */
const receivedTimes = (...counts: readonly number[]): SQSEvent => {
  const { Records } = buildSqsEvent(...counts.map(() => ({ n: -1 })));
  return {
    Records: Records.map((record, index) => ({
      ...record,
      attributes: {
        ...record.attributes,
        ApproximateReceiveCount: String(counts[index]),
        SentTimestamp: String(1_000 * index),
      },
    })),
  };
};

describe('queueHandler()', () => {
  it('passes the messages of a batch together, parsed and in order', async () => {
    const batches: unknown[] = [];

    const { answer } = await handleNumbers(buildSqsEvent({ n: 1 }, { n: 2, more: true }), {
      process: async (messages) => {
        batches.push(messages);
        return messages.map(() => 'done');
      },
    });

    expect(batches).toEqual([[{ n: 1 }, { n: 2 }]]);
    expect(answer).toEqual(failures());
  });

  it('reports the messages to retry, and no others', async () => {
    const { answer, moved } = await handleNumbers(buildSqsEvent({ n: 0 }, { n: -1 }, { n: 2 }, { n: -3 }));

    expect(answer).toEqual(failures('m1', 'm3'));
    expect(moved).toEqual([]);
  });

  it('retries every message when the operation throws', async () => {
    const { answer } = await handleNumbers(buildSqsEvent({ n: 0 }, { n: 1 }), { process: unreachable });

    expect(answer).toEqual(failures('m0', 'm1'));
    expect(output()).toContain('unreachable');
  });

  it('retries a message without a result', async () => {
    const { answer } = await handleNumbers(buildSqsEvent({ n: 0 }, { n: 1 }), {
      process: async () => ['done'],
    });

    expect(answer).toEqual(failures('m1'));
  });

  it('does nothing for an empty batch', async () => {
    expect(await handle(numbered, { Records: [] })).toEqual({ answer: failures(), moved: [], returned: [] });
  });
});

describe('queueHandler() about messages that it returns', () => {
  it('brings them back after a second at first, then after twice as long each time', async () => {
    const { returned } = await handleNumbers(receivedTimes(1, 2, 3, 8));

    expect(returned).toEqual(
      [1, 2, 4, 128].map((waitSeconds, index) => ({ receiptHandle: `receipt-${index}`, waitSeconds })),
    );
  });

  it('leaves a message that was received more often to the visibility timeout of its queue', async () => {
    const { answer } = await handleNumbers(receivedTimes(9, 107), {
      returnMessages: unexpected('returnMessages'),
    });

    expect(answer).toEqual(failures('m0', 'm1'));
    expect(output()).not.toContain('step.failed');
  });

  it('reports them as failed although SQS does not bring them back early', async () => {
    const { answer } = await handleNumbers(receivedTimes(1), { returnMessages: unreachable });

    expect(answer).toEqual(failures('m0'));
    expect(output()).toMatch(/"step":"return".*unreachable/);
  });

  it('measures how long ago the oldest of them was sent', async () => {
    const { Records } = receivedTimes(1, 1, 1);
    const sentAt = ['200000', '100000', '250000'];

    await handleNumbers({
      Records: Records.map((record, index) => ({
        ...record,
        attributes: { ...record.attributes, SentTimestamp: sentAt[index] ?? '' },
      })),
    });

    const lines = output().trim().split('\n').map(readEmbedded);
    expect(lines.flatMap(({ data }) => data)).toMatchObject([
      { name: 'OldestReturnedAge', value: 200_000, dimensions: { queue: 'delivery' } },
    ]);
  });
});

describe('queueHandler() about messages that come later', () => {
  it.each([
    [1, 10, 1, 10],
    [1, 10.2, 0.5, 6],
    [2, 10, 1, 15],
    [4, 10, 1, 34],
    [12, 10, 1, 600],
    [1, 1_200, 1, 600],
    // Also the longest waits differ.
    [30, 10, 0.5, 300],
    [30, 10, 1.499, 900],
  ])(
    'after receive %i, a message that comes %d seconds later, times %d, waits for %i',
    async (receives, laterSeconds, spread, waitSeconds) => {
      const { answer, returned } = await handleNumbers(receivedTimes(receives), {
        process: async () => [{ laterSeconds, spread }],
      });

      expect(answer).toEqual(failures('m0'));
      expect(returned).toEqual([{ receiptHandle: 'receipt-0', waitSeconds }]);
      expect(output()).toBe('');
    },
  );

  it('are returned together with those that failed, so that none comes back while another one is returned', async () => {
    const requests: unknown[] = [];
    await handleNumbers(buildSqsEvent({ n: 1 }, { n: 2 }), {
      process: async () => ['retry', { laterSeconds: 10, spread: 1 }],
      returnMessages: async (messages) => void requests.push(messages),
    });

    expect(requests).toMatchObject([[{ waitSeconds: 1 }, { waitSeconds: 10 }]]);
  });
});

describe('queueHandler() about messages for the dead letters', () => {
  it('moves refused messages to the dead letters with their reason and body', async () => {
    const event = buildSqsEvent({ n: 1 }, '{"n": 200, "more": 1}', { n: 3 });

    const { answer, moved } = await handleNumbers(event);

    expect(answer).toEqual(failures());
    expect(moved).toEqual([{ body: '{"n": 200, "more": 1}', reason: 'too large' }]);
  });

  it('moves malformed messages to the dead letters with the reason and processes the others', async () => {
    const { answer, moved } = await handleNumbers(buildSqsEvent('not json', { n: 1 }, { n: 'two' }, { n: -3 }, 'null'));

    expect(answer).toEqual(failures('m3'));
    expect(moved).toEqual([
      { body: 'not json', reason: 'The message is not JSON: it must be one JSON object' },
      { body: '{"n":"two"}', reason: expect.stringMatching(/^n: /) },
      { body: 'null', reason: expect.stringMatching(/^message: /) },
    ]);
  });

  it('does not call the operation when nothing is well formed', async () => {
    expect(await handle(numbered, buildSqsEvent('{'))).toMatchObject({
      answer: failures(),
      moved: [{ body: '{' }],
    });
  });

  it('brings back what it could not move to the dead letters, and nothing that is done', async () => {
    const event = buildSqsEvent('x', { n: 0 }, { n: 200 });

    const { answer, returned } = await handleNumbers(event, { sendToDeadLetters: unreachable });

    expect(answer).toEqual(failures('m2', 'm0'));
    expect(returned).toMatchObject([{ receiptHandle: 'receipt-2' }, { receiptHandle: 'receipt-0' }]);
    expect(output()).toContain('unreachable');
  });
});

describe('queueHandler() about hostile messages', () => {
  const { tracker, ...ofTracker } = intakeExamples['tracker.saved'];
  const withMember = (json: string) =>
    JSON.stringify({ ...ofTracker, tracker: { ...tracker, more: 'here' } }).replace('"here"', json);
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

  it.each([101, 20_000, 400_000])(
    'moves a message that could not be stored to the dead letters: %i levels',
    async (levels) => {
      const body = withMember(nested(levels - 2));

      const { moved } = await handle(intakeMessage, buildSqsEvent(body));

      expect(moved).toEqual([{ body, reason: 'The message is nested more than 100 levels deep' }]);
    },
  );

  it('accepts a deeply nested member and a member named like the prototype as data', async () => {
    const seen: unknown[] = [];
    const body = withMember(`${nested(98)},"__proto__":{"admin":true},"constructor":{"prototype":1}`);

    await handle(intakeMessage, buildSqsEvent(body), {
      process: async (messages) => {
        seen.push(...messages);
        return ['done'];
      },
    });

    expect(seen).toMatchObject([{ type: 'tracker.saved', tracker: { id: 'trk_1' } }]);
    expect(seen).not.toHaveProperty('0.tracker.admin');
    expect(() => JSON.stringify(seen)).not.toThrow();
    expect({}).not.toHaveProperty('admin');
  });

  const settled = intakeExamples['run.settled'];

  it.each([
    ['text that is no JSON', 'swordfish'],
    ['JSON that is cut off', '{"type":"swordfish'],
    ['an array', [settled, 'swordfish']],
    [
      'a name of a member that could be a value',
      '{"type":"tracker.saved","tracker":{"swordfish@example.com":1e400,"swordfish\\u0000":1e400}}',
    ],
    ['values of another type', { ...settled, customer_id: { swordfish: 1 }, run: 'swordfish' }],
    ['an unknown type', { type: 'swordfish' }],
    ['unknown members', { swordfish: 'swordfish' }],
    ['an id that no Run engine makes', { ...settled, run: { ...settled.run, id: 'run_\u0000swordfish' } }],
    ['a wrong time', { ...settled, run: { ...settled.run, created_at: 'swordfish' } }],
    ['a member of the prototype', '{"type":"run.settled","__proto__":{"run":"swordfish"}}'],
    [
      'values deep inside',
      {
        ...intakeExamples['creator_videos.saved'],
        videos: [{ platform: 'swordfish', hashtags: ['swordfish', 1], sound: { swordfish: 1 } }],
      },
    ],
    [
      'a problem of an unknown code',
      { ...settled, run: { ...settled.run, status: 'swordfish', error: { code: 'swordfish' } } },
    ],
  ])('gives a reason without any value of the message: %s', async (_, body) => {
    const { moved } = await handle(intakeMessage, buildSqsEvent(body));

    expect(moved).toEqual([
      { body: expect.any(String), reason: expect.stringMatching(/^(?!.*swordfish)[ -~…]{10,1000}$/) },
    ]);
    expect(output()).toContain('message.refused');
    expect(output()).not.toContain('swordfish');
  });

  it('cuts a reason with many faults, so that its line can be read as a metric', async () => {
    const videos = Array.from({ length: 100 }, () => ({}));
    const body = { ...intakeExamples['creator_videos.saved'], videos };

    await handle(intakeMessage, buildSqsEvent(body), { refusedMetric: 'intakeRefused' });

    expect(output()).toContain('videos.0.platform: is missing and must be a string; ');
    expect(output().length).toBeLessThan(2_000);
  });

  it.each([{ attempt: 0 }, { attempt: 1.5 }, { attempt: '1' }, { delivery_id: null }, { customer_id: undefined }])(
    'refuses a delivery message with %o',
    async (given) => {
      const message = { customer_id: 'cus_1', webhook_id: 'whe_1', delivery_id: 'whd_1', attempt: 1 };

      const { moved } = await handle(deliveryMessage, buildSqsEvent({ ...message, ...given }));

      expect(moved).toMatchObject([{ reason: expect.stringContaining(Object.keys(given)[0] ?? '') }]);
    },
  );
});

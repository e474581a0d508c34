import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { deliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import type { MessageResult, Refusal } from '#shared/operations/ports.ts';
import { queueHandler } from '#shared/runtime/queue-handler.ts';
import { buildSqsEvent, captureOutput, lambdaContext } from '../../support/aws/lambda-events.ts';
import { readEmbedded } from '../../support/metrics/embedded-format.ts';
import { unexpected } from '../../support/operations/deps.ts';
import { intakeExamples } from '../../support/values/intake-messages.ts';

const schema = z.object({ n: z.int() });
const failures = (...ids: string[]) => ({ batchItemFailures: ids.map((id) => ({ itemIdentifier: id })) });

/** A queue to which messages can be returned. */
const returning = { now: () => 300_000, queue: 'delivery', returnMessages: async () => {} } as const;

let output: () => string;

beforeEach(() => {
  output = captureOutput();
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** A dead-letter queue that records its messages and can fail. */
function deadLetters(send: () => Promise<void> = async () => {}) {
  const moved: { readonly body: string; readonly reason: string }[] = [];
  const sendToDeadLetters = async (body: string, reason: string) => {
    moved.push({ body, reason });
    await send();
  };
  return { moved, sendToDeadLetters };
}

describe('queueHandler()', () => {
  it('passes the messages of a batch together, parsed and in order', async () => {
    const batches: unknown[] = [];
    const process = async (messages: readonly unknown[]): Promise<MessageResult[]> => {
      batches.push(messages);
      return messages.map(() => 'done');
    };
    const handler = queueHandler(schema, {
      ...returning,
      process,
      sendToDeadLetters: unexpected('sendToDeadLetters'),
    });

    const answer = await handler(buildSqsEvent({ n: 1 }, { n: 2, more: true }), lambdaContext);

    expect(batches).toEqual([[{ n: 1 }, { n: 2 }]]);
    expect(answer).toEqual(failures());
  });

  it('reports the messages to retry, and no others', async () => {
    const process = async (): Promise<MessageResult[]> => ['done', 'retry', 'done', 'retry'];
    const handler = queueHandler(schema, {
      ...returning,
      process,
      sendToDeadLetters: unexpected('sendToDeadLetters'),
    });

    const answer = await handler(buildSqsEvent({ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }), lambdaContext);

    expect(answer).toEqual(failures('m1', 'm3'));
  });

  it('retries every message when the operation throws', async () => {
    const process = () => Promise.reject(new Error('throttled'));
    const handler = queueHandler(schema, {
      ...returning,
      process,
      sendToDeadLetters: unexpected('sendToDeadLetters'),
    });

    const answer = await handler(buildSqsEvent({ n: 0 }, { n: 1 }), lambdaContext);

    expect(answer).toEqual(failures('m0', 'm1'));
    expect(output()).toContain('throttled');
  });

  it('retries a message without a result', async () => {
    const process = async (): Promise<MessageResult[]> => ['done'];
    const handler = queueHandler(schema, {
      ...returning,
      process,
      sendToDeadLetters: unexpected('sendToDeadLetters'),
    });

    expect(await handler(buildSqsEvent({ n: 0 }, { n: 1 }), lambdaContext)).toEqual(failures('m1'));
  });

  it('does nothing for an empty batch', async () => {
    const handler = queueHandler(schema, {
      ...returning,
      process: unexpected('process'),
      sendToDeadLetters: unexpected('sendToDeadLetters'),
    });

    expect(await handler({ Records: [] }, lambdaContext)).toEqual(failures());
  });
});

describe('queueHandler() about messages that it returns', () => {
  const handlerOf = (returnMessages: (messages: readonly unknown[]) => Promise<void>) =>
    queueHandler(schema, {
      ...returning,
      returnMessages,
      process: async (messages) => messages.map(({ n }) => (n < 0 ? 'retry' : 'done')),
      sendToDeadLetters: () => Promise.reject(new Error('unreachable')),
    });
  /** One message for each given receive count. */
  const receivedTimes = (...counts: readonly number[]) => {
    const { Records } = buildSqsEvent(...counts.map(() => ({ n: -1 })));
    return {
      Records: Records.map((record, index) => ({
        ...record,
        attributes: { ...record.attributes, ApproximateReceiveCount: String(counts[index]) },
      })),
    };
  };

  it('brings them back after a second at first, then after twice as long each time', async () => {
    const returned: unknown[] = [];
    const handler = handlerOf(async (messages) => void returned.push(...messages));

    await handler(receivedTimes(1, 2, 3, 8), lambdaContext);

    expect(returned).toEqual(
      [1, 2, 4, 128].map((waitSeconds, index) => ({ receiptHandle: `receipt-${index}`, waitSeconds })),
    );
  });

  it('leaves a message that was received more often to the visibility timeout of its queue', async () => {
    const handler = handlerOf(unexpected('returnMessages'));

    expect(await handler(receivedTimes(9, 107), lambdaContext)).toEqual(failures('m0', 'm1'));
    expect(output()).not.toContain('step.failed');
  });

  it('brings back what it could not move to the dead letters, and nothing that is done', async () => {
    const returned: unknown[] = [];
    const handler = handlerOf(async (messages) => void returned.push(...messages));

    const answer = await handler(buildSqsEvent('not json', { n: 1 }), lambdaContext);

    expect(answer).toEqual(failures('m0'));
    expect(returned).toEqual([{ receiptHandle: 'receipt-0', waitSeconds: 1 }]);
  });

  it('reports them as failed although SQS does not bring them back early', async () => {
    const handler = handlerOf(() => Promise.reject(new Error('throttled')));

    expect(await handler(receivedTimes(1), lambdaContext)).toEqual(failures('m0'));
    expect(output()).toMatch(/"step":"return".*throttled/);
  });

  it('measures how long ago the oldest of them was sent', async () => {
    await handlerOf(async () => {})(receivedTimes(1, 1), lambdaContext);

    const lines = output().trim().split('\n').map(readEmbedded);
    expect(lines.flatMap(({ data }) => data)).toMatchObject([
      { name: 'OldestReturnedAge', value: 300_000, dimensions: { queue: 'delivery' } },
    ]);
  });
});

describe('queueHandler() about messages that the operation refuses', () => {
  const refusing = async (
    messages: readonly { readonly n: number }[],
  ): Promise<(MessageResult | Refusal)[]> =>
    messages.map(({ n }) => (n < 0 ? { refused: 'negative' } : 'done'));

  it('moves refused messages to the dead letters with their reason and body', async () => {
    const { moved, sendToDeadLetters } = deadLetters();
    const handler = queueHandler(schema, { ...returning, process: refusing, sendToDeadLetters });

    const answer = await handler(buildSqsEvent({ n: 1 }, '{"n": -2, "more": 1}', { n: 3 }), lambdaContext);

    expect(answer).toEqual(failures());
    expect(moved).toEqual([{ body: '{"n": -2, "more": 1}', reason: 'negative' }]);
  });

  it('retries refused messages while the dead-letter queue is unreachable', async () => {
    const { sendToDeadLetters } = deadLetters(() => Promise.reject(new Error('unreachable')));
    const handler = queueHandler(schema, { ...returning, process: refusing, sendToDeadLetters });

    expect(await handler(buildSqsEvent({ n: 1 }, { n: -2 }), lambdaContext)).toEqual(failures('m1'));
    expect(output()).toContain('unreachable');
  });
});

describe('queueHandler() about malformed messages', () => {
  it('moves malformed messages to the dead letters with the reason and processes the others', async () => {
    const { moved, sendToDeadLetters } = deadLetters();
    const process = async (messages: readonly unknown[]): Promise<MessageResult[]> => {
      expect(messages).toEqual([{ n: 1 }, { n: 3 }]);
      return ['done', 'retry'];
    };
    const handler = queueHandler(schema, { ...returning, process, sendToDeadLetters });

    const answer = await handler(
      buildSqsEvent('not json', { n: 1 }, { n: 'two' }, { n: 3 }, 'null'),
      lambdaContext,
    );

    expect(answer).toEqual(failures('m3'));
    expect(moved).toEqual([
      { body: 'not json', reason: 'The message is not JSON' },
      { body: '{"n":"two"}', reason: expect.stringMatching(/^n: /) },
      { body: 'null', reason: expect.stringMatching(/^message: /) },
    ]);
  });

  it.each([101, 20_000, 400_000])(
    'moves a message that could not be stored to the dead letters: %i levels',
    async (levels) => {
      const { moved, sendToDeadLetters } = deadLetters();
      const handler = queueHandler(intakeMessage, {
        ...returning,
        process: unexpected('process'),
        sendToDeadLetters,
      });
      const { tracker, ...message } = intakeExamples['tracker.saved'];
      const deep = `${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}`;
      const body = JSON.stringify({ ...message, tracker: { ...tracker, more: 'here' } }).replace(
        '"here"',
        deep,
      );

      await handler(buildSqsEvent(body), lambdaContext);

      expect(moved).toEqual([{ body, reason: 'The message is nested more than 100 levels deep' }]);
    },
  );

  it('accepts a deeply nested member and a member named like the prototype as data', async () => {
    const seen: unknown[] = [];
    const process = async (messages: readonly unknown[]): Promise<MessageResult[]> => {
      seen.push(...messages);
      return messages.map(() => 'done');
    };
    const handler = queueHandler(intakeMessage, {
      ...returning,
      process,
      sendToDeadLetters: unexpected('sendToDeadLetters'),
    });
    const { tracker, ...message } = intakeExamples['tracker.saved'];
    const more = `${'['.repeat(98)}${']'.repeat(98)},"__proto__":{"admin":true},"constructor":{"prototype":1}`;
    const body = JSON.stringify({ ...message, tracker: { ...tracker, more: 'here' } }).replace(
      '"here"',
      more,
    );

    await handler(buildSqsEvent(body), lambdaContext);

    expect(seen).toMatchObject([{ type: 'tracker.saved', tracker: { id: 'trk_1' } }]);
    expect(seen).not.toHaveProperty('0.tracker.admin');
    expect(() => JSON.stringify(seen)).not.toThrow();
    expect({}).not.toHaveProperty('admin');
  });

  it('does not call the operation when nothing is well formed', async () => {
    const { moved, sendToDeadLetters } = deadLetters();
    const handler = queueHandler(schema, { ...returning, process: unexpected('process'), sendToDeadLetters });

    expect(await handler(buildSqsEvent('{'), lambdaContext)).toEqual(failures());
    expect(moved).toHaveLength(1);
  });

  it('retries them while the dead-letter queue is unreachable', async () => {
    const { sendToDeadLetters } = deadLetters(() => Promise.reject(new Error('unreachable')));
    const process = async (): Promise<MessageResult[]> => ['done'];
    const handler = queueHandler(schema, { ...returning, process, sendToDeadLetters });

    const answer = await handler(buildSqsEvent({ n: 0 }, 'x', 'y'), lambdaContext);

    expect(answer).toEqual(failures('m1', 'm2'));
    expect(output()).toContain('unreachable');
  });

  it.each([
    ['text that is no JSON', 'swordfish'],
    [
      'values of another type',
      { ...intakeExamples['run.settled'], customer_id: 'swordfish', run: 'swordfish' },
    ],
    ['an unknown type', { type: 'swordfish' }],
    ['unknown members', { swordfish: 'swordfish' }],
    [
      'values deep inside',
      {
        ...intakeExamples['creator_videos.saved'],
        videos: [
          {
            platform: 'swordfish',
            posted_at: 'swordfish',
            hashtags: ['swordfish', 1],
            sound: { swordfish: 1 },
          },
        ],
      },
    ],
    [
      'a problem of an unknown code',
      {
        ...intakeExamples['run.settled'],
        run: { ...intakeExamples['run.settled'].run, status: 'swordfish', error: { code: 'swordfish' } },
      },
    ],
  ])('gives a reason without any value of the message: %s', async (_, body) => {
    const { moved, sendToDeadLetters } = deadLetters();
    const handler = queueHandler(intakeMessage, {
      ...returning,
      process: unexpected('process'),
      sendToDeadLetters,
    });

    await handler(buildSqsEvent(body), lambdaContext);

    expect(moved).toHaveLength(1);
    expect(moved[0]?.reason).not.toBe('');
    expect(moved[0]?.reason).not.toContain('swordfish');
    expect(output()).toContain('message.refused');
    expect(output()).not.toContain('swordfish');
  });

  it.each([
    { attempt: 0 },
    { attempt: 1.5 },
    { attempt: '1' },
    { delivery_id: null },
    { customer_id: undefined },
  ])('refuses a delivery message with %o', async (given) => {
    const { moved, sendToDeadLetters } = deadLetters();
    const handler = queueHandler(deliveryMessage, {
      ...returning,
      process: unexpected('process'),
      sendToDeadLetters,
    });
    const message = { customer_id: 'cus_1', webhook_id: 'whe_1', delivery_id: 'whd_1', attempt: 1 };

    await handler(buildSqsEvent({ ...message, ...given }), lambdaContext);

    expect(moved).toEqual([
      {
        body: JSON.stringify({ ...message, ...given }),
        reason: expect.stringContaining(Object.keys(given)[0] ?? ''),
      },
    ]);
  });
});

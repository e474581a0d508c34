import type { SQS } from '@aws-sdk/client-sqs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import {
  busBatches,
  type IntakeMessage,
  InvalidIntakeMessage,
  type QueueEntry,
  type QueuePort,
  queueBatches,
  sendMessages,
} from '../../../packages/producer/intake.ts';
import { hasRefusedCharacter } from '../../../tools/local/aws/sqs/message.ts';
import { intakeExamples } from '../../support/values/intake-messages.ts';
import { acceptedMessages, refusedMessages } from '../../support/values/intake-vectors.ts';

const queueUrl = 'https://sqs.us-east-1.amazonaws.com/123456789012/intake';

function saved(customer: string, kind = 'search'): IntakeMessage {
  const run = { id: 'run_1', kind, status: 'queued', created_at: '2026-11-20T09:29:12+01:00' } as const;
  return { type: 'run.saved', customer_id: customer, run };
}

/** A tracker whose message has this many bytes as JSON. */
function sized(bytes: number): IntakeMessage {
  const trackerOf = (text: string): IntakeMessage => ({
    type: 'tracker.saved',
    customer_id: 'cus_1',
    tracker: { id: 'trk_1', kind: 'k', status: 'active', created_at: '2026-11-20T09:29:12Z', text },
  });
  return trackerOf('x'.repeat(bytes - JSON.stringify(trackerOf('')).length));
}

function trackerWith(member: unknown): IntakeMessage {
  const { tracker, ...message } = intakeExamples['tracker.saved'];
  return { ...message, tracker: { ...tracker, member } };
}

function nestedMessage(levels: number): IntakeMessage {
  let deep: unknown = 0;
  for (let level = 0; level < levels; level += 1) deep = [deep];
  return trackerWith(deep);
}

const asTyped = (message: unknown) => z.custom<IntakeMessage>().parse(message);

/** What is wrong with a message that comes second, and which one it was. */
function problemsOf(message: unknown): readonly (string | number)[] {
  try {
    queueBatches([saved('cus_1'), asTyped(message)]);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidIntakeMessage)) throw error;
    return [error.index, ...error.problems];
  }
}

/** A queue that answers each request in turn. */
function queueOf(...answers: readonly (() => Awaited<ReturnType<QueuePort['sendMessageBatch']>>)[]) {
  const requests: QueueEntry[][] = [];
  const port: QueuePort = {
    sendMessageBatch: async ({ Entries }) => {
      requests.push(Entries);
      return answers[requests.length - 1]?.() ?? {};
    },
  };
  return { port, requests };
}

type Writable<T> = T extends readonly (infer Item)[]
  ? Writable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Writable<T[Key]> }
    : T;

it("the types that a producer sees fit the schema of the service and the AWS SDK's client", () => {
  type Accepted = z.input<typeof intakeMessage>;
  expectTypeOf<Accepted>().toExtend<IntakeMessage>();
  // The schema's own type has mutable lists.
  expectTypeOf<Writable<IntakeMessage>>().toExtend<Accepted>();
  expectTypeOf<SQS>().toExtend<QueuePort>();
});

describe('queueBatches()', () => {
  it('writes each message unchanged, ten in a request, with the customer as its group', () => {
    const messages = Array.from({ length: 12 }, (_, index) => saved(`cus_${index}`));

    const batches = queueBatches(messages);

    expect(batches.map((batch) => batch.length)).toEqual([10, 2]);
    expect(batches.flat().map(({ MessageBody }) => JSON.parse(MessageBody))).toEqual(messages);
    expect(batches.flat().map(({ MessageGroupId }) => MessageGroupId)).toEqual(
      messages.map(({ customer_id }) => customer_id),
    );
    for (const batch of batches) expect(new Set(batch.map(({ Id }) => Id)).size).toBe(batch.length);
  });

  it('keeps every request within 1 MiB', () => {
    const batches = queueBatches([300_000, 300_000, 300_000, 148_576, 1, 349_999].map((size) => sized(size + 250)));

    const bytes = batches.map((batch) => batch.reduce((sum, { MessageBody }) => sum + MessageBody.length, 0));
    expect(bytes.every((size) => size <= 1_048_576)).toBe(true);
    expect(batches.flat()).toHaveLength(6);
  });

  it.each(Object.entries(intakeExamples))('accepts the example %s', (_, example) => {
    expect(queueBatches([asTyped(example)]).flat()).toHaveLength(1);
  });

  it('refuses what the service refuses, in the same words, and says which message it was', () => {
    const said = refusedMessages.map(({ name, message }) => ({ name, problems: problemsOf(message) }));

    expect(said).toEqual(refusedMessages.map(({ name, fault }) => ({ name, problems: [1, fault] })));
  });

  it('takes what the service takes, as JSON that SQS takes and that the service reads alike', () => {
    for (const { name, message, member, stored } of acceptedMessages) {
      const [{ MessageBody = '' } = {}] = queueBatches([asTyped(message)]).flat();

      expect(hasRefusedCharacter(MessageBody), name).toBe(false);
      expect(JSON.parse(MessageBody), name).toEqual(message);
      expect(intakeMessage.parse(JSON.parse(MessageBody)), name).toHaveProperty(member, stored);
    }
  });

  it.each([
    ['a record that no item of the table can hold', sized(400_000), 'tracker: must have at most 358400 bytes as JSON'],
    ['what is nested too deeply', nestedMessage(100), 'is nested 102 levels deep, at most 100'],
    ['what is nested far too deeply', nestedMessage(4_000), 'levels'],
    ['a number of a type that JSON does not have', trackerWith(1n), 'message: must be JSON, without a BigInt'],
    ['nothing', asTyped(undefined), 'message: must be JSON'],
  ])('refuses %s, as the service would', (_, message, problem) => {
    const attempt = () => queueBatches([message]);

    expect(attempt).toThrow(InvalidIntakeMessage);
    expect(attempt).toThrow(problem);
  });
});

describe('sendMessages()', () => {
  it('returns which messages failed and why, and sends the others', async () => {
    const messages = Array.from({ length: 21 }, (_, index) => saved(`cus_${index}`));
    const { port, requests } = queueOf(
      () => ({
        Failed: [
          { Id: '3', Code: 'InternalError', Message: 'try again', SenderFault: false },
          { Id: '4', Code: undefined, SenderFault: undefined },
        ],
      }),
      () => {
        throw Object.assign(new Error('no answer'), { name: 'TimeoutError' });
      },
    );

    const { sent, failed } = await sendMessages(port, queueUrl, messages);

    expect(requests.map((entries) => entries.length)).toEqual([10, 10, 1]);
    expect(sent).toBe(9);
    const unknown = { code: 'TimeoutError', reason: 'no answer', senderFault: false };
    expect(failed).toEqual([
      { message: messages[3], code: 'InternalError', reason: 'try again', senderFault: false },
      { message: messages[4], code: 'Unknown', reason: '', senderFault: false },
      ...messages.slice(10, 20).map((message) => ({ message, ...unknown })),
    ]);
  });

  it('says why none of the addresses of the queue could be reached', async () => {
    const errors = ['connect ECONNREFUSED 192.0.2.1:443', 'connect ECONNREFUSED 192.0.2.2:443'].map(
      (text) => new Error(text),
    );
    const { port } = queueOf(() => {
      throw new AggregateError(errors);
    });

    const { failed } = await sendMessages(port, queueUrl, [saved('cus_1')]);

    expect(failed).toMatchObject([
      { reason: 'connect ECONNREFUSED 192.0.2.1:443; connect ECONNREFUSED 192.0.2.2:443', senderFault: false },
    ]);
  });

  it.each<[string, object, string, string]>([
    ['another client', { send: () => Promise.resolve({}) }, queueUrl, 'give new SQS() of @aws-sdk/client-sqs'],
    ['no queue', { sendMessageBatch: () => Promise.resolve({}) }, '', 'give the output IntakeQueueUrl'],
  ])('throws with %s: no repetition of failed messages would help', async (_, client, url, advice) => {
    // @ts-expect-error as a program in JavaScript calls it
    await expect(sendMessages(client, url, [saved('cus_1')])).rejects.toThrow(advice);
  });

  it('sends nothing when one message is not valid', async () => {
    const { port, requests } = queueOf();

    const sending = sendMessages(port, queueUrl, [saved('cus_1'), saved('nobody')]);

    await expect(sending).rejects.toThrow(InvalidIntakeMessage);
    expect(requests).toEqual([]);
  });
});

describe('busBatches()', () => {
  it('makes events that the rule of the bus sends to the intake, ten in a request and within 1 MB', () => {
    const sizes = [340_000, 340_000, 320_000];
    const messages = [...Array.from({ length: 10 }, () => saved('cus_1')), ...sizes.map(sized)];

    const batches = busBatches(messages, 'webhooks-prod');

    expect(batches.map((batch) => batch.length)).toEqual([10, 2, 1]);
    expect(batches[0]?.[0]).toEqual({
      EventBusName: 'webhooks-prod',
      Source: 'run-engine',
      DetailType: 'intake-message',
      Detail: JSON.stringify(messages[0]),
    });
  });

  it('throws without a bus: EventBridge would take the events on the bus of the account, where they are lost', () => {
    // @ts-expect-error as a program in JavaScript calls it
    expect(() => busBatches([saved('cus_1')], undefined)).toThrow('give the output EventBusArn');
  });
});

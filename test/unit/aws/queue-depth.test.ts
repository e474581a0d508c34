import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { areQueuesEmpty } from '#shared/aws/queues/queue-depth.ts';
import { commandsOf, unexpected, useMock } from '../../support/aws/aws-mocks.ts';

const intake = 'https://sqs.us-east-1.amazonaws.com/123456789012/intake';
const delivery = 'https://sqs.us-east-1.amazonaws.com/123456789012/delivery';

const counts = {
  ApproximateNumberOfMessages: '0',
  ApproximateNumberOfMessagesNotVisible: '0',
  ApproximateNumberOfMessagesDelayed: '0',
};
const empty = { [intake]: counts, [delivery]: counts };

const client = new SQSClient({ region: 'us-east-1' });
const mock = useMock(client);
const areEmpty = areQueuesEmpty(client, [intake, delivery]);

function answerWith(attributes: Readonly<Record<string, Record<string, string>>>): void {
  for (const [QueueUrl, Attributes] of Object.entries(attributes)) {
    mock.on(GetQueueAttributesCommand, { QueueUrl }).resolves({ Attributes });
  }
}

describe('areQueuesEmpty()', () => {
  it('requests the visible, in-flight and delayed counts of each queue, again on each call', async () => {
    answerWith(empty);

    expect([await areEmpty(), await areEmpty()]).toEqual([true, true]);

    const asked = [intake, delivery].map((QueueUrl) => ({
      GetQueueAttributesCommand: { QueueUrl, AttributeNames: Object.keys(counts) },
    }));
    expect(commandsOf(mock)).toEqual([...asked, ...asked]);
  });

  it.each([intake, delivery].flatMap((queue) => Object.keys(counts).map((count) => ({ queue, count }))))(
    'is false with one message in $count of $queue',
    async ({ queue, count }) => {
      answerWith({ ...empty, [queue]: { ...counts, [count]: '1' } });

      expect(await areEmpty()).toBe(false);
    },
  );

  it('throws when a queue cannot be reached, instead of returning true', async () => {
    answerWith({ [intake]: counts });

    await expect(areEmpty()).rejects.toBe(unexpected);
  });

  it.each([
    ...Object.keys(counts).map((left) => [`no ${left}`, left, undefined] as const),
    ['a count that is no number', 'ApproximateNumberOfMessages', 'many'] as const,
  ])('throws when a queue answers with %s', async (_, name, count) => {
    const others = Object.entries(counts).filter(([other]) => other !== name);
    const attributes = Object.fromEntries(count === undefined ? others : [...others, [name, count]]);
    answerWith({ [intake]: counts, [delivery]: attributes });

    await expect(areEmpty()).rejects.toThrow(name);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { enqueueAttempts } from '#shared/aws/queues/delivery-queue.ts';
import { sendToDeadLetters } from '#shared/aws/queues/send-to-dead-letters.ts';
import { dueAttempt } from '#shared/contract/messages/delivery-message.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import { useQueues } from '../support/aws/queues.ts';
import { buildDelivery, customerId, webhookId } from '../support/values/builders.ts';

const { client, make, drain } = useQueues();

let queueUrl: string;
beforeEach(async () => {
  queueUrl = await make();
});

const attempts = (count: number): readonly DueAttempt[] =>
  Array.from({ length: count }, (_, number) => ({
    key: {
      customerId,
      webhookId: number % 2 === 0 ? webhookId : 'whe_another',
      id: buildDelivery({}, number).id,
    },
    attempt: 1,
  }));

describe('enqueueAttempts()', () => {
  it('brings every message through a standard queue as it was sent', async () => {
    const sent = attempts(23);

    expect(await enqueueAttempts(client(), queueUrl)(sent)).toEqual([]);

    const received = (await drain(queueUrl)).map(({ Body = '' }) => dueAttempt.parse(JSON.parse(Body)));
    const byId = (a: DueAttempt, b: DueAttempt) => a.key.id.localeCompare(b.key.id);
    expect([...received].sort(byId)).toEqual([...sent].sort(byId));
  });

  it('sends nothing when there is nothing to send', async () => {
    expect(await enqueueAttempts(client(), queueUrl)([])).toEqual([]);
    expect(await drain(queueUrl)).toEqual([]);
  });
});

describe('sendToDeadLetters()', () => {
  it('keeps the message as it came, with the reason beside it', async () => {
    await sendToDeadLetters(client(), queueUrl)('{"type":', 'The message is not JSON');

    const [received] = await drain(queueUrl);

    expect(received?.Body).toBe('{"type":');
    expect(received?.MessageAttributes?.reason).toMatchObject({
      DataType: 'String',
      StringValue: 'The message is not JSON',
    });
  });
});

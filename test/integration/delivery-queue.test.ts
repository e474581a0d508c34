import { beforeEach, describe, expect, it } from 'vitest';
import { enqueueDeliveries } from '#shared/aws/queues/delivery-queue.ts';
import { sendToDeadLetters } from '#shared/aws/queues/send-to-dead-letters.ts';
import { type DeliveryMessage, deliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import { useQueues } from '../support/aws/queues.ts';
import { buildDelivery, customerId, webhookId } from '../support/values/builders.ts';

const { client, make, drain } = useQueues();

let queueUrl: string;
beforeEach(async () => {
  queueUrl = await make();
});

const messages = (count: number): readonly DeliveryMessage[] =>
  Array.from({ length: count }, (_, number) => ({
    customer_id: customerId,
    webhook_id: number % 2 === 0 ? webhookId : 'whe_another',
    delivery_id: buildDelivery({}, number).id,
    attempt: 1,
  }));

describe('enqueueDeliveries()', () => {
  it('brings every message through a standard queue as it was sent', async () => {
    const sent = messages(23);

    expect(await enqueueDeliveries(client(), queueUrl)(sent)).toEqual([]);

    const received = (await drain(queueUrl)).map(({ Body = '' }) => deliveryMessage.parse(JSON.parse(Body)));
    const byId = (a: DeliveryMessage, b: DeliveryMessage) => a.delivery_id.localeCompare(b.delivery_id);
    expect([...received].sort(byId)).toEqual([...sent].sort(byId));
  });

  it('sends nothing when there is nothing to send', async () => {
    expect(await enqueueDeliveries(client(), queueUrl)([])).toEqual([]);
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

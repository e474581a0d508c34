import { randomUUID } from 'node:crypto';
import { CreateQueueCommand, type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendToDeadLetters } from '../../shared/aws/dead-letters.ts';
import { enqueueDeliveries } from '../../shared/aws/delivery-queue.ts';
import { type DeliveryMessage, deliveryMessage } from '../../shared/contract/delivery-message.ts';
import { customerId, someDelivery, webhookId } from '../support/aws-records.ts';
import { type Emulator, startSqsEmulator } from '../support/emulators.ts';

let emulator: Emulator;
let client: SQSClient;
let queueUrl: string;
beforeAll(async () => {
  emulator = await startSqsEmulator();
  client = new SQSClient({ ...emulator.config, useQueueUrlAsEndpoint: false });
});
beforeEach(async () => {
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: `test-${randomUUID()}` }));
  queueUrl = QueueUrl;
});
afterAll(async () => {
  client.destroy();
  await emulator.close();
});

const messages = (count: number): readonly DeliveryMessage[] =>
  Array.from({ length: count }, (_, number) => ({
    customer_id: customerId,
    webhook_id: number % 2 === 0 ? webhookId : 'whe_another',
    delivery_id: someDelivery({}, number).id,
    attempt: 1,
  }));

async function receiveAll(): Promise<readonly Message[]> {
  const received: Message[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) return received;
    received.push(...Messages);
  }
}

describe('enqueueDeliveries()', () => {
  it('brings every message, each in the group of its endpoint, through a standard queue', async () => {
    const sent = messages(23);

    expect(await enqueueDeliveries(client, queueUrl)(sent)).toEqual([]);

    const received = (await receiveAll()).map(({ Body = '' }) => deliveryMessage.parse(JSON.parse(Body)));
    const byId = (a: DeliveryMessage, b: DeliveryMessage) => a.delivery_id.localeCompare(b.delivery_id);
    expect([...received].sort(byId)).toEqual([...sent].sort(byId));
  });

  it('sends nothing when there is nothing to send', async () => {
    expect(await enqueueDeliveries(client, queueUrl)([])).toEqual([]);
    expect(await receiveAll()).toEqual([]);
  });
});

describe('sendToDeadLetters()', () => {
  it('keeps the message as it came, with the reason beside it', async () => {
    await sendToDeadLetters(client, queueUrl)('{"type":', 'The message is not JSON');

    const [received] = await receiveAll();

    expect(received?.Body).toBe('{"type":');
    expect(received?.MessageAttributes?.reason).toMatchObject({
      DataType: 'String',
      StringValue: 'The message is not JSON',
    });
  });
});

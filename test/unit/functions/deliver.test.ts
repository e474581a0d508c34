import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { toDeliveryItem } from '#shared/aws/table/delivery-item.ts';
import { toEndpointItem } from '#shared/aws/table/endpoint-item.ts';
import { deliveryKey, liveEndpointKey } from '#shared/aws/table/keys.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { operationCommands, settings, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { commandsOf, useMock } from '../../support/aws/aws-mocks.ts';
import { buildSqsEvent, lambdaContext } from '../../support/aws/lambda-events.ts';
import {
  buildDelivery,
  buildEndpoint,
  customerId,
  startOfTest,
  webhookId,
} from '../../support/values/builders.ts';

const { table, queues } = useFunctionClients();
const kms = useMock(KMSClient);
const scheduler = useMock(SchedulerClient);

const delivery = buildDelivery();
const endpointKey = liveEndpointKey(customerId, webhookId);
const message = { customer_id: customerId, webhook_id: webhookId, delivery_id: delivery.id, attempt: 1 };

/** An endpoint whose URL is refused without a DNS lookup, and one delivery of it. */
function store(given: Partial<Endpoint>): void {
  const endpoint = buildEndpoint({ url: 'https://127.0.0.1/', ...given });
  table
    .on(GetCommand, { Key: endpointKey })
    .resolves({ Item: { ...endpointKey, ...toEndpointItem(endpoint) } });
  table.on(UpdateCommand, { Key: deliveryKey(delivery) }).callsFake((input) => ({
    Attributes: {
      ...toDeliveryItem(delivery),
      attempts: 1,
      claim_token: input.ExpressionAttributeValues[':token'],
      lease_until: Date.now() + 30_000,
    },
  }));
  kms.on(DecryptCommand).resolves({ Plaintext: Buffer.from(`whsec_${'A'.repeat(43)}=`) });
  scheduler.on(CreateScheduleCommand).resolves({});
}

const queue = {
  deliver: () => import('../../../functions/queue/deliver/handler.ts'),
  'deliver-slow': () => import('../../../functions/queue/deliver-slow/handler.ts'),
};

async function deliver(by: keyof typeof queue = 'deliver') {
  const { handler } = await queue[by]();
  expect(await handler(buildSqsEvent(message), lambdaContext)).toEqual({ batchItemFailures: [] });
}

describe('the lanes of the delivery functions', () => {
  it('deliver passes the attempt of a slow endpoint on to the slow queue, and claims nothing', async () => {
    store({ slowSince: startOfTest });
    queues.on(SendMessageBatchCommand).resolves({});

    await deliver();

    expect(operationCommands(table)).toMatchObject([{ GetCommand: { Key: endpointKey } }]);
    expect(commandsOf(queues)).toMatchObject([
      {
        SendMessageBatchCommand: {
          QueueUrl: settings.SLOW_DELIVERY_QUEUE_URL,
          Entries: [{ MessageBody: JSON.stringify(message), MessageGroupId: webhookId }],
        },
      },
    ]);
  });

  it('deliver-slow attempts what deliver passes on', async () => {
    store({ slowSince: startOfTest });

    await deliver('deliver-slow');

    expect(operationCommands(table).at(-1)).toMatchObject({ UpdateCommand: { Key: deliveryKey(delivery) } });
    expect(commandsOf(queues)).toEqual([]);
  });
});

describe('the secrets that deliver caches', () => {
  it('deliver asks KMS again after five minutes, so that a key taken away stops the signing', async () => {
    store({ secret: 'sealed-aging' });
    const asked: number[] = [];
    for (const age of [0, 5 * 60_000 - 1, 5 * 60_000]) {
      vi.setSystemTime(startOfTest + age);
      await deliver();
      asked.push(commandsOf(kms).length);
    }

    expect(asked).toEqual([1, 1, 2]);
  });
});

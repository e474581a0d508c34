import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { BatchExecuteStatementCommand, BatchGetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { toEndpointItem } from '#shared/aws/table/endpoints/endpoint-item.ts';
import { deliveryKey, liveEndpointKey } from '#shared/aws/table/keys.ts';
import { operationCommands, settings, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { commandsOf, useMock } from '../../support/aws/aws-mocks.ts';
import { buildSqsEvent, lambdaContext } from '../../support/aws/lambda-events.ts';
import { buildDelivery, buildEndpoint, customerId, startOfTest, webhookId } from '../../support/values/builders.ts';

const { table, queues } = useFunctionClients();
const kms = useMock(KMSClient);
const scheduler = useMock(SchedulerClient);

const delivery = buildDelivery();
const endpointKey = liveEndpointKey(customerId, webhookId);
const message = { customer_id: customerId, webhook_id: webhookId, delivery_id: delivery.id, attempt: 1 };

/** A slow endpoint whose URL is refused without a DNS lookup, and one delivery of it. */
beforeEach(() => {
  const endpoint = buildEndpoint({ url: 'https://127.0.0.1/', slowSince: startOfTest });
  const row = { ...endpointKey, ...toEndpointItem(endpoint) };
  table.on(BatchGetCommand).resolves({ Responses: { [settings.TABLE_NAME]: [row] } });
  const claimed = { ...toDeliveryItem(delivery), attempts: 1, claim_token: 'ours', lease_until: Date.now() };
  table.on(BatchExecuteStatementCommand).resolves({ Responses: [{ Item: claimed }] });
  table.on(UpdateCommand, { Key: deliveryKey(delivery) }).resolves({});
  kms.on(DecryptCommand).resolves({ Plaintext: Buffer.from(`whsec_${'A'.repeat(43)}=`) });
  scheduler.on(CreateScheduleCommand).resolves({});
});

describe('the lanes of the delivery functions', () => {
  it('deliver passes the attempt of a slow endpoint on to the slow queue, and claims nothing', async () => {
    const { handler } = await import('../../../functions/queue/deliver/handler.ts');
    queues.on(SendMessageBatchCommand).resolves({});

    expect(await handler(buildSqsEvent(message), lambdaContext)).toEqual({ batchItemFailures: [] });

    expect(operationCommands(table)).toMatchObject([
      { BatchGetCommand: { RequestItems: { [settings.TABLE_NAME]: { Keys: [endpointKey] } } } },
    ]);
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
    const { handler } = await import('../../../functions/queue/deliver-slow/handler.ts');

    expect(await handler(buildSqsEvent(message), lambdaContext)).toEqual({ batchItemFailures: [] });

    expect(operationCommands(table).at(-1)).toMatchObject({ UpdateCommand: { Key: deliveryKey(delivery) } });
    expect(commandsOf(queues)).toEqual([]);
  });
});

import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import {
  ChangeMessageVisibilityBatchCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { toDeliveryItem } from '#shared/aws/table/delivery-item.ts';
import { toEndpointItem } from '#shared/aws/table/endpoint-item.ts';
import { readEvent } from '#shared/contract/event-body.ts';
import { signatureHeader, standardHeaders } from '#shared/domain/signature.ts';
import {
  type HandlerReceiver,
  mockHandlerTable,
  operationCommands,
  setEnvironment,
  settings,
  startHandlerReceiver,
} from '../../support/aws/aws-functions.ts';
import { commandsOf, conditionFailed, tableName, unexpected } from '../../support/aws/aws-mocks.ts';
import { buildSqsEvent, lambdaContext } from '../../support/aws/lambda-events.ts';
import {
  buildDelivery,
  buildEndpoint,
  customerId,
  runBody,
  startOfTest,
  webhookId,
} from '../../support/values/builders.ts';

let receiver: HandlerReceiver;
beforeAll(async () => {
  receiver = await startHandlerReceiver();
  setEnvironment({ LOCAL_TRUSTED_ORIGINS: JSON.stringify([receiver.origin]) });
});
afterAll(() => receiver.close());

let table = mockHandlerTable();
const kms = mockClient(KMSClient);
const queues = mockClient(SQSClient);
const scheduler = mockClient(SchedulerClient);
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: startOfTest });
  table.restore();
  table = mockHandlerTable();
  for (const mock of [kms, queues, scheduler]) {
    mock.reset();
    mock.rejects(unexpected);
  }
  receiver.answerWith(200);
  receiver.take();
});
afterEach(() => {
  vi.useRealTimers();
});

const secret = `whsec_${'A'.repeat(43)}=`;
const endpointKey = { pk: `CUS#${customerId}`, sk: `WEBHOOKS#${webhookId}` };
const event = readEvent(runBody);
const [first, second] = [buildDelivery({}, 1), buildDelivery({}, 2)];
const keyOf = ({ id }: { id: string }) => ({ pk: `DLV#${customerId}#${webhookId}#0`, sk: id });
const messageOf = ({ id }: { id: string }, attempt = 1) =>
  JSON.stringify({ customer_id: customerId, webhook_id: webhookId, delivery_id: id, attempt });

/** An endpoint at the receiver, last attempted just now, whose deliveries can all be claimed. */
function everythingWorks(slowSince: number | null = null) {
  const endpoint = buildEndpoint({ url: `${receiver.origin}/events`, slowSince });
  table
    .on(GetCommand, { Key: endpointKey })
    .resolves({ Item: { ...endpointKey, ...toEndpointItem(endpoint) } });
  for (const delivery of [first, second]) {
    table.on(UpdateCommand, { Key: keyOf(delivery) }).callsFake((input) => ({
      Attributes: {
        ...toDeliveryItem(delivery),
        attempts: input.ExpressionAttributeValues[':attempt'] ?? 1,
        claim_token: input.ExpressionAttributeValues[':token'],
        lease_until: startOfTest + 30_000,
      },
    }));
  }
  kms.on(DecryptCommand).resolves({ Plaintext: Buffer.from(secret) });
  scheduler.on(CreateScheduleCommand).resolves({});
}

const deliver = async (...bodies: readonly string[]) => {
  const { handler } = await import('../../../functions/queue/deliver/handler.ts');
  return handler(buildSqsEvent(...bodies), lambdaContext);
};

describe('deliver', () => {
  it('claims, posts the signed body, and records the success', async () => {
    everythingWorks();

    const answer = await deliver(messageOf(first));

    expect(answer).toEqual({ batchItemFailures: [] });
    const [post, ...others] = receiver.take();
    expect(others).toEqual([]);
    expect(post?.body).toBe(runBody);
    expect(post?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event-id': event.id,
      'x-service-event-type': 'run.completed',
      'x-service-signature': signatureHeader([secret], Buffer.from(runBody), startOfTest),
      ...standardHeaders([secret], event.id, Buffer.from(runBody), startOfTest),
    });
    expect(operationCommands(table)).toMatchObject([
      { GetCommand: { TableName: tableName, Key: endpointKey, ConsistentRead: true } },
      {
        UpdateCommand: {
          Key: keyOf(first),
          ExpressionAttributeValues: { ':attempt': 1, ':latest_due': startOfTest },
        },
      },
      { UpdateCommand: { Key: keyOf(first), ExpressionAttributeValues: { ':status': 'delivered' } } },
    ]);
    expect(commandsOf(scheduler)).toEqual([]);
  });

  it('stores when the next attempt is due, and then makes its schedule', async () => {
    everythingWorks();
    receiver.answerWith(500);

    const answer = await deliver(messageOf(first));

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(operationCommands(table).at(-1)).toMatchObject({
      UpdateCommand: { ExpressionAttributeValues: { ':status': 'pending', ':time': startOfTest + 600_000 } },
    });
    expect(commandsOf(scheduler)).toMatchObject([
      {
        CreateScheduleCommand: {
          Name: `${first.id}-2`,
          GroupName: settings.SCHEDULE_GROUP,
          ScheduleExpression: 'at(2026-11-20T12:10:01)',
          Target: { RoleArn: settings.SCHEDULER_ROLE_ARN },
        },
      },
    ]);
  });

  it('reads an endpoint once for a batch, and reports only the messages that must return', async () => {
    everythingWorks();
    const missing = buildDelivery({}, 3);
    table.on(UpdateCommand, { Key: keyOf(missing) }).rejects(conditionFailed());
    queues.on(SendMessageCommand).resolves({});
    queues.on(ChangeMessageVisibilityBatchCommand).resolves({});

    const answer = await deliver(messageOf(first), messageOf(missing), 'not JSON', messageOf(second));

    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(receiver.take()).toHaveLength(2);
    expect(operationCommands(table).filter((command) => 'GetCommand' in command)).toHaveLength(1);
    expect(commandsOf(queues)).toEqual([
      {
        SendMessageCommand: {
          QueueUrl: settings.DELIVERY_DEAD_LETTER_QUEUE_URL,
          MessageBody: 'not JSON',
          MessageAttributes: { reason: { DataType: 'String', StringValue: 'The message is not JSON' } },
        },
      },
      {
        ChangeMessageVisibilityBatchCommand: {
          QueueUrl: settings.DELIVERY_QUEUE_URL,
          Entries: [{ Id: '0', ReceiptHandle: 'receipt-1', VisibilityTimeout: 1 }],
        },
      },
    ]);
  });

  it('ends the deliveries of a deleted endpoint without a POST', async () => {
    everythingWorks();
    table.on(GetCommand, { Key: endpointKey }).resolves({});

    const answer = await deliver(messageOf(first));

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(receiver.take()).toEqual([]);
    expect(operationCommands(table).at(-1)).toMatchObject({
      UpdateCommand: { ExpressionAttributeValues: { ':failed': 'failed', ':reason': 'endpoint_deleted' } },
    });
  });

  it('asks for an opened secret again after five minutes, so that a key taken away stops the signing', async () => {
    everythingWorks();
    const sealed = {
      ...toEndpointItem(buildEndpoint({ url: `${receiver.origin}/events`, secret: 'sealed-aging' })),
    };
    table.on(GetCommand, { Key: endpointKey }).resolves({ Item: { ...endpointKey, ...sealed } });
    const postedAt = async (time: number) => {
      vi.setSystemTime(time);
      await deliver(messageOf(first));
      return receiver.take().length;
    };

    const posted = [await postedAt(startOfTest)];
    kms.on(DecryptCommand).rejects(unexpected);
    posted.push(await postedAt(startOfTest + 5 * 60_000 - 1), await postedAt(startOfTest + 5 * 60_000));

    expect(posted).toEqual([1, 1, 0]);
  });

  it('claims nothing while secrets cannot be opened', async () => {
    everythingWorks();
    const other = { ...endpointKey, ...toEndpointItem(buildEndpoint({ secret: 'sealed-elsewhere' })) };
    table.on(GetCommand, { Key: endpointKey }).resolves({ Item: other });
    kms.on(DecryptCommand).rejects(unexpected);

    const answer = await deliver(messageOf(first), messageOf(second));

    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }, { itemIdentifier: 'm1' }] });
    expect(operationCommands(table).some((command) => 'UpdateCommand' in command)).toBe(false);
  });

  it('passes the attempts of a slow endpoint on to the slow queue, and claims nothing', async () => {
    everythingWorks(startOfTest);
    queues.on(SendMessageBatchCommand).resolves({});

    const answer = await deliver(messageOf(first), messageOf(second));

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(operationCommands(table)).toMatchObject([{ GetCommand: { Key: endpointKey } }]);
    expect(commandsOf(queues)).toEqual([
      {
        SendMessageBatchCommand: {
          QueueUrl: settings.SLOW_DELIVERY_QUEUE_URL,
          Entries: [first, second].map((delivery, index) => ({
            Id: String(index),
            MessageBody: messageOf(delivery),
            MessageGroupId: webhookId,
          })),
        },
      },
    ]);
    expect(receiver.take()).toEqual([]);
  });
});

describe('deliver-slow', () => {
  it('attempts what the delivery function passes on', async () => {
    everythingWorks(startOfTest);
    const { handler } = await import('../../../functions/queue/deliver-slow/handler.ts');

    const answer = await handler(buildSqsEvent(messageOf(first)), lambdaContext);

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(receiver.take()).toHaveLength(1);
    expect(commandsOf(queues)).toEqual([]);
  });
});

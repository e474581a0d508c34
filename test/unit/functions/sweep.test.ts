import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { toDeliveryItem } from '#shared/aws/table/delivery-item.ts';
import { waitingAttributes } from '#shared/aws/table/keys.ts';
import { operationCommands, settings, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { commandsOf } from '../../support/aws/aws-mocks.ts';
import { lambdaContext } from '../../support/aws/lambda-events.ts';
import { buildDelivery, customerId, startOfTest, webhookId } from '../../support/values/builders.ts';

const { table, queues } = useFunctionClients();

describe('sweep', () => {
  it('puts what is overdue back on the queue, and looks into every shard', async () => {
    const { handler } = await import('../../../functions/schedule/sweep/handler.ts');
    const delivery = buildDelivery({ attempts: 1, lastAttemptAt: startOfTest - 900_000 });
    const Key = { pk: `DLV#${customerId}#${webhookId}#0`, sk: delivery.id };
    const waiting = waitingAttributes(delivery, startOfTest - 300_000);
    const isItsShard = (input: { ExpressionAttributeValues?: Record<string, unknown> }) =>
      input.ExpressionAttributeValues?.[':shard'] === waiting.waiting_pk;
    table
      .on(QueryCommand)
      .callsFake((input) => ({ Items: isItsShard(input) ? [{ ...Key, ...waiting }] : [] }));
    table.on(UpdateCommand, { Key }).resolves({ Attributes: toDeliveryItem(delivery) });
    queues.on(SendMessageBatchCommand).resolves({});

    await handler({}, lambdaContext);

    const queries = operationCommands(table).filter((command) => 'QueryCommand' in command);
    expect(queries).toHaveLength(8);
    expect(queries[0]).toMatchObject({
      QueryCommand: {
        IndexName: 'waiting',
        ExpressionAttributeValues: { ':before': `0${startOfTest - 180_000}` },
      },
    });
    expect(operationCommands(table).filter((command) => 'UpdateCommand' in command)).toMatchObject([
      {
        UpdateCommand: {
          Key,
          ExpressionAttributeValues: { ':next': `0${startOfTest + 900_000}#${delivery.id}` },
        },
      },
    ]);
    const message = { customer_id: customerId, webhook_id: webhookId, delivery_id: delivery.id, attempt: 2 };
    expect(commandsOf(queues)).toEqual([
      {
        SendMessageBatchCommand: {
          QueueUrl: settings.DELIVERY_QUEUE_URL,
          Entries: [{ Id: '0', MessageBody: JSON.stringify(message), MessageGroupId: webhookId }],
        },
      },
    ]);
  });

  it('begins no page with less than ten seconds left, so that it is not killed in the middle of one', async () => {
    const { handler } = await import('../../../functions/schedule/sweep/handler.ts');
    table.on(QueryCommand).resolves({ Items: [] });
    const left = [60_000, 10_001, 10_000, 9_999, 1];

    await handler({}, { ...lambdaContext, getRemainingTimeInMillis: () => left.shift() ?? 0 });

    expect(operationCommands(table)).toHaveLength(2);
  });

  it('writes and sends nothing when nothing is overdue', async () => {
    const { handler } = await import('../../../functions/schedule/sweep/handler.ts');
    table.on(QueryCommand).resolves({ Items: [] });

    await handler({}, lambdaContext);

    expect(operationCommands(table)).toHaveLength(8);
    expect(commandsOf(queues)).toEqual([]);
  });
});

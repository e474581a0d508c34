import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { toEndpointItem } from '#shared/aws/table/endpoint-item.ts';
import { customerKey, liveEndpointKey } from '#shared/aws/table/keys.ts';
import { operationCommands, settings, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { commandsOf, unexpected } from '../../support/aws/aws-mocks.ts';
import { buildSqsEvent, lambdaContext } from '../../support/aws/lambda-events.ts';
import { buildEndpoint, customerId, webhookId } from '../../support/values/builders.ts';

const { table, queues } = useFunctionClients();

const settledRun = (id: string) =>
  JSON.stringify({
    type: 'run.settled',
    customer_id: customerId,
    run: {
      id,
      kind: 'creator_videos',
      status: 'completed',
      charge_usd: 0.25,
      created_at: '2026-11-20T11:59:00Z',
      settled_at: '2026-11-20T12:00:00Z',
    },
  });

const runKey = (id: string) => ({ pk: `RUN#${customerId}#${id}`, sk: 'RUN' });

/** One active endpoint, and a table that stores whatever it is given. */
function everythingWorks() {
  const Items = [{ ...liveEndpointKey(customerId, webhookId), ...toEndpointItem(buildEndpoint()) }];
  table.on(GetCommand, { Key: customerKey(customerId) }).resolves({ Item: customerKey(customerId) });
  table.on(QueryCommand).resolves({ Items });
  table.on(PutCommand).resolves({});
  for (const id of ['run_1', 'run_2']) {
    table.on(UpdateCommand, { Key: runKey(id) }).callsFake((input) => ({
      Attributes: {
        settled: input.ExpressionAttributeValues[':run'],
        fan_out: input.ExpressionAttributeValues[':fan_out'],
      },
    }));
  }
  queues.on(SendMessageBatchCommand).resolves({});
}

const accept = async (...bodies: readonly string[]) => {
  const { handler } = await import('../../../functions/queue/intake/handler.ts');
  return handler(buildSqsEvent(...bodies), lambdaContext);
};

describe('intake', () => {
  it('stores a settled Run and its delivery, and queues the first attempt', async () => {
    everythingWorks();

    const answer = await accept(settledRun('run_1'));

    expect(answer).toEqual({ batchItemFailures: [] });
    const commands = operationCommands(table).filter((command) => !('GetCommand' in command));
    const [query, update, put, ...others] = commands;
    expect(others).toEqual([]);
    expect(query).toMatchObject({ QueryCommand: { ConsistentRead: true } });
    expect(update).toMatchObject({ UpdateCommand: { Key: runKey('run_1') } });
    expect(put).toMatchObject({
      PutCommand: { Item: { pk: `DLV#${customerId}#${webhookId}#0`, status: 'pending', attempts: 0 } },
    });
    const { Item } = Object(put).PutCommand;
    expect(JSON.parse(Item.body)).toMatchObject({
      type: 'run.completed',
      run_id: 'run_1',
      links: { run: 'https://api.example.com/v1/runs/run_1' },
    });
    const message = { customer_id: customerId, webhook_id: webhookId, delivery_id: Item.sk, attempt: 1 };
    expect(commandsOf(queues)).toEqual([
      {
        SendMessageBatchCommand: {
          QueueUrl: settings.DELIVERY_QUEUE_URL,
          Entries: [{ Id: '0', MessageBody: JSON.stringify(message), MessageGroupId: webhookId }],
        },
      },
    ]);
  });

  it('queues the attempts of a whole batch together, and reports only the messages that must return', async () => {
    everythingWorks();
    table.on(UpdateCommand, { Key: runKey('run_broken') }).rejects(unexpected);
    queues.on(SendMessageCommand).resolves({});

    const answer = await accept(
      settledRun('run_1'),
      settledRun('run_broken'),
      '{"type":"run.unknown"}',
      settledRun('run_2'),
    );

    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    const sent = queues
      .commandCalls(SendMessageBatchCommand)
      .map(({ args }) => args[0].input.Entries?.length);
    expect(sent).toEqual([2]);
    expect(queues.commandCalls(SendMessageCommand).map(({ args }) => args[0].input)).toEqual([
      {
        QueueUrl: settings.INTAKE_DEAD_LETTER_QUEUE_URL,
        MessageBody: '{"type":"run.unknown"}',
        MessageAttributes: { reason: { DataType: 'String', StringValue: expect.stringContaining('type') } },
      },
    ]);
  });

  it('takes a message again whose attempt the queue refused', async () => {
    everythingWorks();
    queues
      .on(SendMessageBatchCommand)
      .resolves({ Failed: [{ Id: '1', Code: 'InternalError', SenderFault: false }] });

    const answer = await accept(settledRun('run_1'), settledRun('run_2'));

    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
  });

  it('asks for a customer once, however many messages about it come', async () => {
    everythingWorks();
    const reads = () => table.commandCalls(GetCommand).length;
    await accept(settledRun('run_1'));
    const before = reads();

    await accept(settledRun('run_1'), settledRun('run_2'));
    await accept(settledRun('run_2'));

    expect(before).toBeLessThanOrEqual(1);
    expect(reads()).toBe(before);
  });

  it('moves a message about a customer that does not exist to the dead letters, after a strong read', async () => {
    const body = settledRun('run_1').replace(customerId, 'cus_nobody');
    const Key = customerKey('cus_nobody');
    table.on(GetCommand, { Key }).resolves({});
    table.on(QueryCommand).resolves({});
    queues.on(SendMessageCommand).resolves({});

    const answer = await accept(body, body);

    expect(answer).toEqual({ batchItemFailures: [] });
    const read = { TableName: settings.TABLE_NAME, Key, ProjectionExpression: 'pk, expires_at' };
    expect(operationCommands(table)).toEqual([
      { QueryCommand: expect.anything() },
      { GetCommand: { ...read, ConsistentRead: false } },
      { GetCommand: { ...read, ConsistentRead: true } },
    ]);
    const MessageAttributes = { reason: { DataType: 'String', StringValue: 'unknown_customer' } };
    const input = { QueueUrl: settings.INTAKE_DEAD_LETTER_QUEUE_URL, MessageBody: body, MessageAttributes };
    expect(queues.commandCalls(SendMessageCommand).map(({ args }) => args[0].input)).toEqual([input, input]);
  });

  it('returns a malformed message that cannot be moved to the dead letters', async () => {
    const answer = await accept('not JSON');

    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
    expect(operationCommands(table)).toEqual([]);
  });
});

import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { GetCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { toDeliveryItem, toLogEntry } from '#shared/aws/table/delivery-item.ts';
import { toEndpointItem } from '#shared/aws/table/endpoint-item.ts';
import { readEvent } from '#shared/contract/event-body.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import {
  apiEvent,
  operationCommands,
  settings,
  useFunctionClients,
} from '../../support/aws/aws-functions.ts';
import { commandsOf, tableName } from '../../support/aws/aws-mocks.ts';
import { lambdaContext } from '../../support/aws/lambda-events.ts';
import {
  acknowledgedAttempt,
  buildDelivery,
  buildEndpoint,
  customerId,
  runBody,
  startOfTest,
  webhookId,
} from '../../support/values/builders.ts';

const { table, queues } = useFunctionClients();

const delivery = buildDelivery();
const event = readEvent(runBody);
const endpointKey = { pk: `CUS#${customerId}`, sk: `WEBHOOKS#${webhookId}` };
const endpointItem = { ...endpointKey, ...toEndpointItem(buildEndpoint()) };
const Key = { pk: `DLV#${customerId}#${webhookId}#0`, sk: delivery.id };
const Item = {
  ...toDeliveryItem(delivery),
  status: 'delivered',
  attempts: 1,
  last_at: startOfTest + 1000,
  ended_at: startOfTest + 1184,
  log: [toLogEntry(acknowledgedAttempt)],
};
const readEndpoint = { GetCommand: { TableName: tableName, Key: endpointKey, ConsistentRead: true } };
const readDelivery = { GetCommand: { TableName: tableName, Key, ConsistentRead: true } };
const record = {
  id: delivery.id,
  event_id: event.id,
  event_type: 'run.completed',
  status: 'delivered',
  attempts: 1,
  response_status: 200,
  error: null,
  run_id: event.runId,
  tracker_id: null,
  change_report_id: null,
  replay_of: null,
  created_at: '2026-11-20T12:00:00.501Z',
  last_attempt_at: '2026-11-20T12:00:01.500Z',
  delivered_at: '2026-11-20T12:00:01.684Z',
  failed_at: null,
  next_attempt_at: null,
};
const json = {
  headers: {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Type': 'application/json',
  },
};

describe('list-deliveries', () => {
  it('answers a page of records', async () => {
    const { handler } = await import('../../../functions/api/list-deliveries/handler.ts');
    table.on(GetCommand, { Key: endpointKey }).resolves({ Item: endpointItem });
    table.on(QueryCommand).resolves({ Items: [Item] });

    const answer = await handler(
      apiEvent('GET', '/v1/webhooks/{id}/deliveries', {
        path: { id: webhookId },
        query: { status: 'delivered' },
      }),
      lambdaContext,
    );

    expect(answer).toMatchObject({ statusCode: 200, ...json });
    expect(JSON.parse(answer.body)).toEqual({ items: [record], next_cursor: null });
    expect(operationCommands(table)).toMatchObject([
      readEndpoint,
      { QueryCommand: { ExpressionAttributeValues: { ':pk': Key.pk }, Limit: 250, ConsistentRead: true } },
    ]);
  });
});

describe('list-deliveries with a filter', () => {
  const list = async (query: Readonly<Record<string, string>>) => {
    const { handler } = await import('../../../functions/api/list-deliveries/handler.ts');
    const request = apiEvent('GET', '/v1/webhooks/{id}/deliveries', { path: { id: webhookId }, query });
    return handler(request, lambdaContext);
  };

  it('reads the key range of the asked times', async () => {
    table.on(GetCommand, { Key: endpointKey }).resolves({ Item: endpointItem });
    table.on(QueryCommand).resolves({ Items: [Item] });

    const answer = await list({
      created_after: '2026-11-20T12:00:00Z',
      created_before: '2026-11-20T14:00:00+01:00',
    });

    expect(JSON.parse(answer.body)).toEqual({ items: [record], next_cursor: null });
    expect(operationCommands(table)).toMatchObject([
      readEndpoint,
      {
        QueryCommand: {
          KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
          ExpressionAttributeValues: {
            ':first': firstIdAt('delivery', Date.UTC(2026, 10, 20, 12)),
            ':last': expect.stringMatching(/^whd_\w{9}.~$/),
          },
        },
      },
    ]);
  });

  it('reads the moment of the asked event and its replays', async () => {
    table.on(GetCommand, { Key: endpointKey }).resolves({ Item: endpointItem });
    table.on(QueryCommand).resolves({ Items: [] });

    const answer = await list({ event_id: event.id });

    expect(JSON.parse(answer.body)).toEqual({ items: [], next_cursor: null });
    expect(operationCommands(table)).toMatchObject([
      readEndpoint,
      {
        QueryCommand: {
          ExpressionAttributeValues: { ':pk': Key.pk, ':first': firstIdAt('delivery', startOfTest) },
        },
      },
      {
        QueryCommand: { ExpressionAttributeValues: { ':pk': `EVT#${customerId}#${event.id}#${webhookId}` } },
      },
    ]);
  });

  it.each([
    ['event_id', 'evt_1', '`event_id` must be the id of an event: `evt_` and 26 characters'],
    ['run_id', 'one', '`run_id` must be the id of a Run: `run_` and an identifier'],
    [
      'created_after',
      'yesterday',
      '`created_after` must be an ISO 8601 time with a zone, such as `2026-01-31T12:00:00Z`',
    ],
    [
      'created_before',
      '2026-11-20',
      '`created_before` must be an ISO 8601 time with a zone, such as `2026-01-31T12:00:00Z`',
    ],
  ])('refuses a wrong %s without a read', async (name, value, detail) => {
    const answer = await list({ [name]: value });

    expect(answer.statusCode).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({
      code: 'invalid_request',
      detail,
      errors: [{ pointer: `?${name}`, detail }],
    });
    expect(operationCommands(table)).toEqual([]);
  });
});

describe('get-delivery', () => {
  it('answers the record with the text that was sent and its attempt log', async () => {
    const { handler } = await import('../../../functions/api/get-delivery/handler.ts');
    table.on(GetCommand, { Key }).resolves({ Item });

    const answer = await handler(
      apiEvent('GET', '/v1/webhooks/{id}/deliveries/{deliveryId}', {
        path: { id: webhookId, deliveryId: delivery.id },
      }),
      lambdaContext,
    );

    expect(answer).toMatchObject({ statusCode: 200, ...json });
    expect(JSON.parse(answer.body)).toEqual({
      ...record,
      body: runBody,
      request_headers: [
        { name: 'Content-Type', value: 'application/json' },
        { name: 'User-Agent', value: 'Service-Webhooks/1' },
        { name: 'X-Service-Event-Id', value: event.id },
        { name: 'X-Service-Event-Type', value: 'run.completed' },
        { name: 'X-Service-Signature', value: null },
        { name: 'webhook-id', value: event.id },
        { name: 'webhook-timestamp', value: null },
        { name: 'webhook-signature', value: null },
      ],
      attempt_log: [
        {
          at: '2026-11-20T12:00:01.500Z',
          duration_ms: 184,
          outcome: 'acknowledged',
          response_status: 200,
          error: null,
          timings: { dns_ms: 12, connect_ms: 31, tls_ms: 48, first_byte_ms: 93 },
        },
      ],
    });
    expect(operationCommands(table)).toEqual([readDelivery]);
  });

  it('answers 404 for a delivery that the endpoint of the customer does not have', async () => {
    const { handler } = await import('../../../functions/api/get-delivery/handler.ts');
    table.on(GetCommand, { Key }).resolves({});

    const answer = await handler(
      apiEvent('GET', '/v1/webhooks/{id}/deliveries/{deliveryId}', {
        path: { id: webhookId, deliveryId: delivery.id },
      }),
      lambdaContext,
    );

    expect(answer.statusCode).toBe(404);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'not_found' });
    expect(operationCommands(table)).toEqual([readDelivery]);
  });
});

describe('replay-delivery', () => {
  const replay = () =>
    apiEvent('POST', '/v1/webhooks/{id}/deliveries/{deliveryId}/replay', {
      path: { id: webhookId, deliveryId: delivery.id },
    });

  it('stores the same body as a new delivery and queues its first attempt', async () => {
    const { handler } = await import('../../../functions/api/replay-delivery/handler.ts');
    table.on(GetCommand, { Key: endpointKey }).resolves({ Item: endpointItem });
    table.on(GetCommand, { Key }).resolves({ Item });
    table.on(TransactWriteCommand).resolves({});
    queues.on(SendMessageBatchCommand).resolves({});

    const answer = await handler(replay(), lambdaContext);

    expect(answer).toMatchObject({ statusCode: 202, ...json });
    const { delivery: replayed } = JSON.parse(answer.body);
    expect(replayed).toEqual({
      ...record,
      id: expect.stringMatching(/^whd_/),
      status: 'pending',
      attempts: 0,
      response_status: null,
      replay_of: delivery.id,
      created_at: '2026-11-20T12:00:00.500Z',
      last_attempt_at: null,
      delivered_at: null,
    });
    expect(operationCommands(table)).toMatchObject([
      readEndpoint,
      readDelivery,
      {
        TransactWriteCommand: {
          ClientRequestToken: replayed.id,
          TransactItems: [
            { Put: { Item: { sk: replayed.id, body: runBody, replay_of: delivery.id, status: 'pending' } } },
            {
              Update: {
                Key,
                UpdateExpression: 'SET replayed_by = :replay',
                ConditionExpression: 'attribute_exists(pk)',
                ExpressionAttributeValues: { ':replay': replayed.id },
              },
            },
            {
              Put: {
                Item: { pk: `EVT#${customerId}#${event.id}#${webhookId}`, sk: replayed.id },
              },
            },
          ],
        },
      },
    ]);
    const message = { customer_id: customerId, webhook_id: webhookId, delivery_id: replayed.id, attempt: 1 };
    expect(commandsOf(queues)).toEqual([
      {
        SendMessageBatchCommand: {
          QueueUrl: settings.DELIVERY_QUEUE_URL,
          Entries: [{ Id: '0', MessageBody: JSON.stringify(message), MessageGroupId: webhookId }],
        },
      },
    ]);
  });

  it('answers 409 for a delivery that is still pending, and writes nothing', async () => {
    const { handler } = await import('../../../functions/api/replay-delivery/handler.ts');
    table.on(GetCommand, { Key: endpointKey }).resolves({ Item: endpointItem });
    table.on(GetCommand, { Key }).resolves({ Item: toDeliveryItem(delivery) });

    const answer = await handler(replay(), lambdaContext);

    expect(answer.statusCode).toBe(409);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'delivery_in_progress' });
    expect(operationCommands(table)).toEqual([readEndpoint, readDelivery]);
  });
});

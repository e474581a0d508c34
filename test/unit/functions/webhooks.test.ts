import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import {
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { toEndpointItem } from '#shared/aws/table/endpoint-item.ts';
import { signatureHeader, standardHeaders } from '#shared/domain/signature.ts';
import {
  apiEvent,
  countRequests,
  type HandlerReceiver,
  mockHandlerTable,
  operationCommands,
  setEnvironment,
  settings,
  startHandlerReceiver,
} from '../../support/aws/aws-functions.ts';
import { commandsOf, tableName, unexpected } from '../../support/aws/aws-mocks.ts';
import { lambdaContext } from '../../support/aws/lambda-events.ts';
import {
  buildEndpoint,
  customerId,
  deliveryIdNumber,
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
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: startOfTest });
  table.restore();
  table = mockHandlerTable();
  kms.reset();
  kms.rejects(unexpected);
});
afterEach(() => {
  vi.useRealTimers();
});

const endpoint = buildEndpoint();
const pk = `CUS#${customerId}`;
const Key = { pk, sk: `WEBHOOKS#${webhookId}` };
const Item = { ...Key, ...toEndpointItem(endpoint) };
const tombstoneKey = { pk, sk: `DELETED#${webhookId}` };
const earlierTombstoneKey = { pk, sk: `TOMBSTONE#${webhookId}` };
/** The newest deliveries of the endpoint, for the time of its last delivery. */
const readNewest = {
  QueryCommand: {
    ExpressionAttributeValues: { ':pk': `DLV#${customerId}#${webhookId}#0` },
    Limit: 8,
    ConsistentRead: true,
  },
};
const liveQuery = { ExpressionAttributeValues: { ':pk': pk, ':endpoints': 'WEBHOOKS#' } };
const attemptedAt = (last_at: number) => ({ Items: [{ sk: deliveryIdNumber(1), last_at }] });
const readIt = { GetCommand: { TableName: tableName, Key, ConsistentRead: true } };
const record = {
  id: webhookId,
  url: 'https://hooks.example.com/events',
  status: 'active',
  description: 'Production',
  secret_prefix: 'whsec_curren',
  previous_secret_expires_at: null,
  created_at: '2026-11-20T12:00:00.500Z',
  activated_at: '2026-11-20T12:00:00.620Z',
  last_delivery_at: '2026-11-20T12:00:00.500Z',
};
const everyAnswer = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
const json = { headers: { ...everyAnswer, 'Content-Type': 'application/json' } };

describe('register-webhook', () => {
  it('reserves the endpoint, sends the handshake, and activates the endpoint', async () => {
    const { handler } = await import('../../../functions/api/register-webhook/handler.ts');
    table.on(TransactWriteCommand).resolves({});
    table.on(UpdateCommand).resolves({});
    countRequests(table);
    kms.on(EncryptCommand).resolves({ CiphertextBlob: Buffer.from('sealed') });
    const body = { url: `${receiver.origin}/events`, description: 'Production' };

    const answer = await handler(apiEvent('POST', '/v1/webhooks', { body }), lambdaContext);

    expect(answer).toMatchObject({ statusCode: 201, ...json });
    const { webhook, secret, test_delivery } = JSON.parse(answer.body);
    expect(webhook).toEqual({
      ...record,
      id: expect.stringMatching(/^whe_/),
      url: `${receiver.origin}/events`,
      secret_prefix: secret.slice(0, 12),
      activated_at: '2026-11-20T12:00:00.500Z',
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(test_delivery).toMatchObject({
      event_type: 'webhook.test',
      status: 'delivered',
      attempts: 1,
      response_status: 200,
    });
    expect(operationCommands(table)).toMatchObject([
      { TransactWriteCommand: { ClientRequestToken: webhook.id } },
      {
        UpdateCommand: {
          Key: { sk: test_delivery.id },
          ExpressionAttributeValues: { ':status': 'delivered' },
        },
      },
      { UpdateCommand: { Key: { pk, sk: `WEBHOOKS#${webhook.id}` } } },
    ]);
    expect(commandsOf(kms)).toEqual([
      {
        EncryptCommand: {
          KeyId: settings.SECRETS_KEY_ARN,
          Plaintext: new TextEncoder().encode(secret),
          EncryptionContext: { customer_id: customerId, webhook_id: webhook.id },
        },
      },
    ]);
    const [handshake, ...others] = receiver.take();
    expect(others).toEqual([]);
    const sent = Buffer.from(handshake?.body ?? '');
    expect(JSON.parse(sent.toString())).toMatchObject({
      id: test_delivery.event_id,
      type: 'webhook.test',
      webhook_id: webhook.id,
    });
    expect(handshake?.headers).toMatchObject({
      'x-service-event-id': test_delivery.event_id,
      'x-service-event-type': 'webhook.test',
      'x-service-signature': signatureHeader([secret], sent, startOfTest),
      ...standardHeaders([secret], test_delivery.event_id, sent, startOfTest),
    });
  });

  it('answers 201 with a failed endpoint when the handshake is refused', async () => {
    const { handler } = await import('../../../functions/api/register-webhook/handler.ts');
    table.on(TransactWriteCommand).resolves({});
    table.on(UpdateCommand).resolves({});
    countRequests(table);
    kms.on(EncryptCommand).resolves({ CiphertextBlob: Buffer.from('sealed') });
    receiver.answerWith(503);

    const answer = await handler(
      apiEvent('POST', '/v1/webhooks', { body: { url: receiver.origin } }),
      lambdaContext,
    );

    expect(answer.statusCode).toBe(201);
    expect(JSON.parse(answer.body)).toMatchObject({
      webhook: { status: 'failed', activated_at: null },
      test_delivery: { status: 'failed', attempts: 1, response_status: 503 },
    });
    receiver.answerWith(200);
    receiver.take();
  });
});

describe('get-webhook', () => {
  it('answers the endpoint, with the time of its newest delivery', async () => {
    const { handler } = await import('../../../functions/api/get-webhook/handler.ts');
    table.on(GetCommand, { Key }).resolves({ Item });
    table.on(QueryCommand).resolves(attemptedAt(startOfTest + 1000));

    const answer = await handler(
      apiEvent('GET', '/v1/webhooks/{id}', { path: { id: webhookId } }),
      lambdaContext,
    );

    expect(answer).toMatchObject({ statusCode: 200, ...json });
    expect(JSON.parse(answer.body)).toEqual({ ...record, last_delivery_at: '2026-11-20T12:00:01.500Z' });
    expect(operationCommands(table)).toMatchObject([readIt, readNewest]);
  });

  it('shows a deleted endpoint', async () => {
    const { handler } = await import('../../../functions/api/get-webhook/handler.ts');
    table.on(GetCommand, { Key }).resolves({});
    table.on(GetCommand, { Key: tombstoneKey }).resolves({ Item: { ...Item, status: 'deleted' } });
    table.on(QueryCommand).resolves({});

    const answer = await handler(
      apiEvent('GET', '/v1/webhooks/{id}', { path: { id: webhookId } }),
      lambdaContext,
    );

    expect(answer.statusCode).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({ ...record, status: 'deleted' });
  });

  it('answers 404 for an endpoint that the customer does not have', async () => {
    const { handler } = await import('../../../functions/api/get-webhook/handler.ts');
    for (const key of [Key, tombstoneKey, earlierTombstoneKey]) {
      table.on(GetCommand, { Key: key }).resolves({});
    }

    const answer = await handler(
      apiEvent('GET', '/v1/webhooks/{id}', { path: { id: webhookId } }),
      lambdaContext,
    );

    expect(answer.statusCode).toBe(404);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'not_found' });
  });

  it('answers 404 for an id that this service cannot have made, without a read', async () => {
    const { handler } = await import('../../../functions/api/get-webhook/handler.ts');

    const answer = await handler(
      apiEvent('GET', '/v1/webhooks/{id}', { path: { id: 'whe_x' } }),
      lambdaContext,
    );

    expect(answer).toMatchObject({
      statusCode: 404,
      headers: { 'Content-Type': 'application/problem+json' },
    });
    expect(JSON.parse(answer.body)).toMatchObject({
      type: 'https://docs.example.com/errors/not_found',
      code: 'not_found',
      status: 404,
      instance: 'request-1',
    });
    expect(operationCommands(table)).toEqual([]);
  });
});

describe('list-webhooks', () => {
  it('answers a page, and a cursor under the secret that it makes', async () => {
    const { handler } = await import('../../../functions/api/list-webhooks/handler.ts');
    const older = { ...Item, id: `${webhookId.slice(0, -1)}0`, sk: `WEBHOOKS#${webhookId.slice(0, -1)}0` };
    table.on(QueryCommand, liveQuery).resolves({ Items: [Item, older] });
    table.on(QueryCommand, readNewest.QueryCommand).resolves({});
    table.on(GetCommand, { Key: { pk: 'CURSOR_SECRET', sk: 'CURSOR_SECRET' } }).resolves({});
    table.on(PutCommand).resolves({});

    const answer = await handler(apiEvent('GET', '/v1/webhooks', { query: { limit: '1' } }), lambdaContext);

    expect(answer).toMatchObject({ statusCode: 200, ...json });
    expect(JSON.parse(answer.body)).toEqual({
      items: [record],
      next_cursor: expect.stringMatching(/^[A-Za-z0-9_-]+$/),
    });
    expect(operationCommands(table)).toMatchObject([
      { QueryCommand: { ExpressionAttributeValues: { ':pk': pk, ':endpoints': 'WEBHOOKS#' } } },
      readNewest,
      { GetCommand: { Key: { pk: 'CURSOR_SECRET' } } },
      { PutCommand: { Item: { pk: 'CURSOR_SECRET' } } },
    ]);
  });
});

describe('list-webhooks with a rotation overlap', () => {
  it('shows when the overlap ends only while it is open', async () => {
    const { handler } = await import('../../../functions/api/list-webhooks/handler.ts');
    const ended = { ...Item, previous_secret: 'sealed', previous_secret_expires_at: startOfTest };
    const open = { ...ended, previous_secret_expires_at: startOfTest + 1 };
    table.on(QueryCommand, liveQuery).resolves({ Items: [ended, open] });
    table.on(QueryCommand, readNewest.QueryCommand).resolves(attemptedAt(startOfTest + 1000));

    const answer = await handler(apiEvent('GET', '/v1/webhooks'), lambdaContext);

    expect(JSON.parse(answer.body)).toMatchObject({
      items: [
        { previous_secret_expires_at: null, last_delivery_at: '2026-11-20T12:00:01.500Z' },
        { previous_secret_expires_at: '2026-11-20T12:00:00.501Z' },
      ],
    });
  });
});

describe('delete-webhook', () => {
  it('answers 204 without a body', async () => {
    const { handler } = await import('../../../functions/api/delete-webhook/handler.ts');
    table.on(GetCommand, { Key }).resolves({ Item });
    table.on(TransactWriteCommand).resolves({});

    const answer = await handler(
      apiEvent('DELETE', '/v1/webhooks/{id}', { path: { id: webhookId } }),
      lambdaContext,
    );

    expect(answer).toMatchObject({ statusCode: 204, headers: everyAnswer, body: '' });
    expect(operationCommands(table)).toMatchObject([
      readIt,
      {
        TransactWriteCommand: {
          TransactItems: [{ Delete: { Key } }, { Put: {} }, { Put: {} }, { Update: {} }],
        },
      },
    ]);
  });
});

describe('rotate-secret', () => {
  it('answers the new secret and when the old one ends', async () => {
    const { handler } = await import('../../../functions/api/rotate-secret/handler.ts');
    kms.on(EncryptCommand).resolves({ CiphertextBlob: Buffer.from('sealed-next') });
    table.on(UpdateCommand, { Key }).callsFake((input) => ({
      Attributes: {
        ...Item,
        secret_prefix: input.ExpressionAttributeValues[':prefix'],
        previous_secret: Item.secret,
        previous_secret_expires_at: input.ExpressionAttributeValues[':expires_at'],
      },
    }));

    table.on(QueryCommand).resolves(attemptedAt(startOfTest + 1000));

    const answer = await handler(
      apiEvent('POST', '/v1/webhooks/{id}/rotate', { path: { id: webhookId } }),
      lambdaContext,
    );

    expect(answer).toMatchObject({ statusCode: 200, ...json });
    const { webhook, secret, overlap_expires_at } = JSON.parse(answer.body);
    expect(overlap_expires_at).toBe('2026-11-21T12:00:00.500Z');
    expect(webhook).toEqual({
      ...record,
      secret_prefix: secret.slice(0, 12),
      previous_secret_expires_at: overlap_expires_at,
      last_delivery_at: '2026-11-20T12:00:01.500Z',
    });
    expect(operationCommands(table)).toMatchObject([
      {
        UpdateCommand: {
          Key,
          ExpressionAttributeValues: {
            ':secret': Buffer.from('sealed-next').toString('base64'),
            ':now': startOfTest,
          },
        },
      },
      readNewest,
    ]);
    expect(kms).not.toReceiveCommand(DecryptCommand);
  });
});

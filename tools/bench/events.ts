import { randomBytes, randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent, SQSEvent } from 'aws-lambda';
import type { Table } from '#shared/aws/clients.ts';
import { storeDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { readEvent } from '#shared/contract/event-body.ts';
import { toDeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import type { Route } from '#shared/contract/routes.ts';
import { nextAttempt, pendingDelivery } from '#shared/domain/delivery.ts';
import { deliveryId } from '#shared/domain/derived-id.ts';
import { runCompletedBody } from '#shared/domain/event.ts';
import { type IdKind, makeId } from '#shared/domain/ids.ts';
import { sqsEvent } from '../local/aws/events/sqs-event.ts';
import { proxyEvent } from '../local/aws/gateway/proxy-event.ts';
import type { ApiModel } from '../local/template/api-model.ts';

type ApiRequest = {
  readonly apiKey: string;
  readonly method?: Route['method'];
  /** The path with its parameters in braces; functions of one path do not read it. */
  readonly resource?: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: object;
};

const api: ApiModel = {
  id: 'api',
  stageName: 'v',
  resources: [],
  gatewayResponses: new Map(),
  binaryMediaTypes: [],
};

/** A request as API Gateway passes it to a function. */
export function apiEvent(request: ApiRequest): APIGatewayProxyEvent {
  const { apiKey, method = 'GET', resource = '/', path = {}, body } = request;
  const target = { resourcePath: resource, pathParameters: path };
  return proxyEvent(api, target, {
    requestId: 'request',
    receivedAt: Date.now(),
    method,
    stagePath: '',
    path: resource,
    query: new URLSearchParams(),
    headers: [
      ['Authorization', `Bearer ${apiKey}`],
      ['Content-Type', 'application/json'],
    ],
    sourceIp: '127.0.0.1',
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
  });
}

/** A batch as Lambda passes it to a queue function. */
export function batchOf(messages: readonly object[]): SQSEvent {
  return sqsEvent(
    'arn:aws:sqs:us-east-1:000000000000:queue',
    messages.map((message) => ({
      MessageId: randomUUID(),
      ReceiptHandle: 'receipt',
      Body: JSON.stringify(message),
      MD5OfBody: '',
      Attributes: {},
      MessageAttributes: {},
    })),
  );
}

export const newId = (kind: IdKind) => makeId(kind, Date.now(), randomBytes(10));

/** Stores a delivery whose message no queue has. @returns that message */
export async function waitingAttempt(table: Table, customerId: string, webhookId: string): Promise<object> {
  const createdAt = Date.now();
  const run = { id: newId('run'), kind: 'search', status: 'completed', chargeUsd: 0.25, trackerId: null };
  const body = runCompletedBody({ id: newId('event'), createdAt }, run, 'https://api.example.com');
  const id = deliveryId(createdAt, randomBytes(10), 1);
  const delivery = pendingDelivery({ id, customerId, webhookId, body, event: readEvent(body) });
  await storeDelivery(table, delivery, null);
  return toDeliveryMessage(nextAttempt(delivery));
}

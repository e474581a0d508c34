import { randomBytes, randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent, SQSEvent } from 'aws-lambda';
import { localAddress } from '#shared/aws/client-settings.ts';
import { connectTable, type Table } from '#shared/aws/clients.ts';
import { storeDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { readEvent } from '#shared/contract/event-body.ts';
import { toDeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import type { Route } from '#shared/contract/routes.ts';
import { nextAttempt, pendingDelivery } from '#shared/domain/delivery.ts';
import { deliveryId } from '#shared/domain/derived-id.ts';
import { runCompletedBody } from '#shared/domain/event.ts';
import { makeId } from '#shared/domain/ids.ts';
import { sqsEvent } from '../../local/aws/events/sqs-event.ts';
import { proxyEvent } from '../../local/aws/gateway/proxy-event.ts';
import { localEnvironment } from '../../local/aws/lambda/function-environment.ts';
import { folderOf } from '../../local/aws/lambda/invocation-record.ts';
import { CustomerClient } from '../../local/parties/customer/customer-client.ts';
import { seedCustomers } from '../../local/stack/seed.ts';
import { type RunningStack, startStack } from '../../local/stack/start.ts';
import { localRegion } from '../../local/template/identities.ts';
import { exampleMessage } from '../../operator/emit/example-messages.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A function to start: its environment, and what makes an event for each of its starts. */
export type Subject = {
  readonly environment: Readonly<Record<string, string>>;
  readonly newEvent: () => Promise<object>;
};

/**
 * Starts a local stack for functions of each kind, by their folders below `functions/`. The events are real: what they
 * name is stored, so that no function ends early.
 */
export async function openScene(parts: AsyncDisposableStack): Promise<Readonly<Record<string, Subject>>> {
  const stateDir = await temporaryFolder(parts);
  const stack = await startStack({ port: 0, stateDir, stackFile: null, drainMs: 500 });
  parts.defer(() => stack.close());
  const { info } = stack;
  const table = connectTable(info.table_name, failOn, localAddress(info.endpoints.dynamodb, localRegion));
  parts.defer(() => table.client.close());
  const owner = await newCustomer(stack);
  const { webhook } = await owner.client.register(owner.client.receiver('cold'));
  const events: Readonly<Record<string, Subject['newEvent']>> = {
    'queue/intake': async () =>
      batchOf(exampleMessage('run.settled', { customer: owner.client.id }, Date.now(), randomBytes)),
    'queue/deliver': async () => batchOf(await storeAttempt(table, owner.client.id, webhook.id)),
    'schedule/sweep': async () => ({}),
    'api/list-webhooks': async () => apiEvent('GET', owner.apiKey),
    'api/register-webhook': async () => {
      const { client, apiKey } = await newCustomer(stack);
      return apiEvent('POST', apiKey, { url: client.receiver('cold') });
    },
  };
  const subjects = Object.entries(events).map(([folder, newEvent]) => {
    return [folder, { environment: environmentOf(stack, folder), newEvent }] as const;
  });
  return Object.fromEntries(subjects);
}

const failOn: Table['report'] = (event) => {
  throw new Error(`Cannot measure: the table reported ${JSON.stringify(event)}`);
};

async function newCustomer({ info }: RunningStack) {
  const target = { tableName: info.table_name, dynamodbUrl: info.endpoints.dynamodb };
  const [seeded] = await seedCustomers(target, ['Customer']);
  if (seeded === undefined) throw new Error('Cannot measure: the customer was not created');
  return { client: new CustomerClient(info, seeded), apiKey: seeded.api_key };
}

function environmentOf({ info, model }: RunningStack, folder: string): Subject['environment'] {
  const found = model.functions.find((each) => folderOf(each) === folder);
  if (found === undefined) throw new Error(`Cannot measure "${folder}": the app has no such function`);
  return {
    ...localEnvironment({
      endpoints: info.endpoints,
      trustedOrigins: [info.receiver.origin],
      timeScale: 1,
      issuerOrigin: info.issuer.url,
    }),
    NODE_EXTRA_CA_CERTS: info.receiver.ca_file,
    ...found.environment,
  };
}

const api = { id: 'api', stageName: 'v', resources: [], gatewayResponses: new Map(), binaryMediaTypes: [] };

/** A request as API Gateway passes it to a function. */
function apiEvent(method: Route['method'], apiKey: string, body?: object): APIGatewayProxyEvent {
  const target = { resourcePath: '/', pathParameters: {} };
  return proxyEvent(api, target, {
    requestId: 'request',
    receivedAt: Date.now(),
    method,
    stagePath: '',
    path: '/',
    query: new URLSearchParams(),
    headers: [
      ['Authorization', `Bearer ${apiKey}`],
      ['Content-Type', 'application/json'],
    ],
    sourceIp: '127.0.0.1',
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
  });
}

/** A batch of one message, as Lambda passes it to a queue function. */
function batchOf(message: object): SQSEvent {
  const Body = JSON.stringify(message);
  const given = { MD5OfBody: '', Attributes: {}, MessageAttributes: {} };
  return sqsEvent('arn:aws:sqs:us-east-1:000000000000:queue', [
    { MessageId: randomUUID(), ReceiptHandle: 'receipt', Body, ...given },
  ]);
}

/** Stores a delivery whose message no queue has. @returns that message */
async function storeAttempt(table: Table, customerId: string, webhookId: string): Promise<object> {
  const createdAt = Date.now();
  const newId = (kind: 'run' | 'event') => makeId(kind, createdAt, randomBytes(10));
  const run = { id: newId('run'), kind: 'search', status: 'completed', chargeUsd: 0.25, trackerId: null };
  const body = runCompletedBody({ id: newId('event'), createdAt }, run, 'https://api.example.com');
  const id = deliveryId(createdAt, randomBytes(10), 1);
  const delivery = pendingDelivery({ id, customerId, webhookId, body, event: readEvent(body) });
  await storeDelivery(table, delivery, null);
  return toDeliveryMessage(nextAttempt(delivery));
}

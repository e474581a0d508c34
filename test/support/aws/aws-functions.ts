import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { AwsClientStub } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, vi } from 'vitest';
import { hashCredential, makeApiKey } from '#shared/auth/checked-token.ts';
import { listenOnLoopback } from '../../../tools/local/servers/loopback-server.ts';
import { createTestAuthority } from '../http/certificates.ts';
import { customerId, startOfTest } from '../values/builders.ts';
import { commandsOf, tableName, useMock } from './aws-mocks.ts';
import { buildApiEvent } from './lambda-events.ts';

/** The environment that a deployment gives its functions. */
export const settings = {
  AWS_REGION: 'us-east-1',
  AWS_LAMBDA_LOG_LEVEL: 'FATAL',
  TABLE_NAME: tableName,
  STAGE: 'test',
  INTAKE_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/123456789012/intake',
  DELIVERY_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/123456789012/delivery',
  SLOW_DELIVERY_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/123456789012/slow-delivery',
  REPLAY_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/123456789012/replay',
  REPLAY_DEAD_LETTER_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/123456789012/replay-dead-letters',
  INTAKE_DEAD_LETTER_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/123456789012/intake-dead-letters',
  DELIVERY_DEAD_LETTER_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/123456789012/delivery-dead-letters',
  SECRETS_KEY_ARN: 'arn:aws:kms:us-east-1:123456789012:key/11111111-2222-3333-4444-555555555555',
  SCHEDULE_GROUP: 'retries',
  SCHEDULER_ROLE_ARN: 'arn:aws:iam::123456789012:role/scheduler',
  BASE_URL: 'https://api.example.com',
  DOCS_URL: 'https://docs.example.com',
  SERVICE_NAME: 'Service',
  STANDARD_WEBHOOKS: 'true',
  SUPPORTED_PLATFORMS: 'tiktok,youtube',
} as const;

/** Call it before a handler is imported. */
export function setEnvironment(more: Readonly<Record<string, string>> = {}): void {
  Object.assign(process.env, settings, more);
}

/** The API key of `apiEvent`. */
export const apiKey = makeApiKey(new Uint8Array(32).fill(7));
const keyHash = hashCredential(apiKey);
const storedKey = {
  pk: `KEY#${keyHash}`,
  sk: 'KEY',
  id: 'aky_1',
  customer_id: customerId,
  hash: keyHash,
  prefix: apiKey.slice(0, 10),
  created_at: startOfTest,
};

/** The table knows the API key of `apiEvent` and counts its requests. */
function stubHandlerTable(mock: AwsClientStub<DynamoDBDocumentClient>): void {
  mock.on(GetCommand, { Key: { pk: storedKey.pk, sk: 'KEY' } }).resolves({ Item: storedKey });
  countRequests(mock);
}

/**
 * The table and the queues that most functions use, at a fixed time; reset before each test. A handler reads its
 * environment when it is loaded, so tests import it. Tests of one process share the loaded handlers.
 */
export function useFunctionClients() {
  const table = useMock(DynamoDBDocumentClient);
  const queues = useMock(SQSClient);
  beforeEach(() => {
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
    vi.useFakeTimers({ toFake: ['Date'], now: startOfTest });
    stubHandlerTable(table);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  return { table, queues };
}

/** What SQS says of a queue without messages. */
export const emptyQueue = {
  Attributes: {
    ApproximateNumberOfMessages: '0',
    ApproximateNumberOfMessagesNotVisible: '0',
    ApproximateNumberOfMessagesDelayed: '0',
  },
};

/** Lets the table count requests. Call it after other updates are stubbed: of two stubs that fit, the later wins. */
function countRequests(mock: AwsClientStub<DynamoDBDocumentClient>): void {
  mock.on(UpdateCommand, { Key: { pk: 'RATE#aky_1', sk: 'RATE' } }).resolves({
    Attributes: { previous: Array.from({ length: 60 }, () => 0), current: [1], mark: 'counted' },
  });
}

/** The commands of a handler, without those that look up the credential and count the request. */
export function operationCommands(mock: AwsClientStub<DynamoDBDocumentClient>) {
  return commandsOf(mock).filter((command) => !/"pk":"(KEY|RATE)#/.test(JSON.stringify(command)));
}

/** A request as API Gateway passes it to a function. */
export function apiEvent(
  httpMethod: string,
  resource: string,
  given: {
    readonly path?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly key?: string;
  } = {},
): APIGatewayProxyEvent {
  const { path = {}, query = {}, body, key = apiKey } = given;
  const url = resource.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '');
  const headers: Record<string, string> = {
    Accept: '*/*',
    Authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  };
  const multi = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, [value]]));
  return buildApiEvent({
    httpMethod,
    resource,
    path: url,
    headers,
    multiValueHeaders: multi(headers),
    pathParameters: Object.keys(path).length === 0 ? null : { ...path },
    queryStringParameters: Object.keys(query).length === 0 ? null : { ...query },
    multiValueQueryStringParameters: Object.keys(query).length === 0 ? null : multi(query),
    body: body === undefined ? null : JSON.stringify(body),
  });
}

/** An endpoint on loopback whose certificate this process trusts. */
export async function startHandlerReceiver() {
  const authority = await createTestAuthority();
  setDefaultCACertificates([...getCACertificates('default'), authority.ca]);
  let status = 200;
  const certificate = await authority.issue({ dns: ['hooks.localhost'] });
  const server = createServer(certificate, async (request, response) => {
    await text(request);
    response.writeHead(status).end();
  });
  const { port, close } = await listenOnLoopback(server, 0, ['hooks.localhost']);
  return {
    /** The handlers' `LOCAL_TRUSTED_ORIGINS`. */
    origin: `https://hooks.localhost:${port}`,
    /** Status of the next answers; 200 at first. */
    answerWith: (next: number) => {
      status = next;
    },
    close,
  };
}

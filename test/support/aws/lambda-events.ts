import type { APIGatewayProxyEvent, Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, vi } from 'vitest';
import { logger } from '#shared/runtime/telemetry.ts';
import { noIdentity } from '../../../tools/local/aws/gateway/proxy-event.ts';
import { unexpected } from '../operations/deps.ts';

export const requestId = 'request-1';

/** A request as API Gateway passes it to a function. */
export function buildApiEvent(given: Partial<APIGatewayProxyEvent> = {}): APIGatewayProxyEvent {
  return {
    body: null,
    headers: { Authorization: 'Bearer key' },
    multiValueHeaders: {},
    httpMethod: 'GET',
    isBase64Encoded: false,
    path: '/',
    pathParameters: null,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    stageVariables: null,
    resource: '/',
    requestContext: {
      accountId: '123456789012',
      apiId: 'api',
      authorizer: null,
      protocol: 'HTTP/1.1',
      httpMethod: given.httpMethod ?? 'GET',
      identity: { ...noIdentity, sourceIp: '203.0.113.1', userAgent: null },
      path: given.path ?? '/',
      stage: 'v',
      requestId,
      requestTimeEpoch: 0,
      resourceId: 'r',
      resourcePath: given.resource ?? '/',
    },
    ...given,
  };
}

export const lambdaContext: Context = {
  callbackWaitsForEmptyEventLoop: false,
  functionName: 'function',
  functionVersion: '1',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:function',
  memoryLimitInMB: '256',
  awsRequestId: requestId,
  logGroupName: 'group',
  logStreamName: 'stream',
  getRemainingTimeInMillis: () => 30_000,
  done: unexpected('done'),
  fail: unexpected('fail'),
  succeed: unexpected('succeed'),
};

/** Messages `m0`, `m1`, … as a queue delivers them. Text stays as it is, other values become JSON. */
export function buildSqsEvent(...bodies: readonly unknown[]): SQSEvent {
  return { Records: bodies.map(toRecord) };
}

function toRecord(body: unknown, index: number): SQSRecord {
  return {
    messageId: `m${index}`,
    receiptHandle: `receipt-${index}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: 'sender',
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:queue',
    awsRegion: 'us-east-1',
  };
}

/**
 * Captures everything that is written to the standard streams, until mocks are restored. The logger of the functions is
 * as in a new process, whatever other tests did with it.
 */
export function captureOutput(): () => string {
  vi.stubEnv('AWS_LAMBDA_LOG_LEVEL', 'INFO');
  logger.appendKeys({ function_request_id: undefined });
  const written: string[] = [];
  const keep = (chunk: string | Uint8Array): boolean => {
    written.push(typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk));
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
  return () => written.join('');
}

/** What a function logs in each test of one file. */
export function useOutput(): () => string {
  let output = () => '';
  beforeEach(() => {
    output = captureOutput();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  return () => output();
}

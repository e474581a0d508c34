import type { APIGatewayProxyEvent } from 'aws-lambda';
import { noIdentity } from '../local/aws/gateway/proxy-event.ts';

type ApiRequest = {
  readonly apiKey: string;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** The path with its parameters in braces; functions of one path do not read it. */
  readonly resource?: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
};

/** A request as API Gateway passes it to a function. */
export function apiEvent({
  apiKey,
  method = 'GET',
  resource = '/',
  path = {},
  query = {},
  body,
}: ApiRequest): APIGatewayProxyEvent {
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  };
  return {
    resource,
    path: resource,
    httpMethod: method,
    headers,
    multiValueHeaders: multiValues(headers),
    pathParameters: { ...path },
    queryStringParameters: { ...query },
    multiValueQueryStringParameters: multiValues(query),
    stageVariables: null,
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
    requestContext: {
      accountId: '000000000000',
      apiId: 'api',
      authorizer: null,
      protocol: 'HTTP/1.1',
      httpMethod: method,
      identity: { ...noIdentity, sourceIp: '127.0.0.1', userAgent: null },
      path: resource,
      stage: 'v',
      requestId: 'request',
      requestTimeEpoch: 0,
      resourceId: 'resource',
      resourcePath: resource,
    },
  };
}

function multiValues(values: Readonly<Record<string, string | undefined>>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, [value]]])),
  );
}

import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Header } from '../../servers/header-list.ts';
import type { ApiModel } from '../../template/api-model.ts';
import { localAccount } from '../../template/identities.ts';
import type { GatewayRequest } from './gateway-request.ts';
import { matchesMediaType } from './header-rules.ts';
import type { RouteMatch } from './router.ts';

/** The event of a Lambda proxy integration, payload version 1.0. */
export function proxyEvent(api: ApiModel, match: RouteMatch, request: GatewayRequest): APIGatewayProxyEvent {
  const headers = forwardedHeaders(request);
  const isBase64Encoded = matchesMediaType(api.binaryMediaTypes, headerValue(request, 'content-type'));
  return {
    resource: match.resource.path,
    path: request.path,
    httpMethod: request.method,
    headers: lastValues(headers),
    multiValueHeaders: allValues(headers),
    queryStringParameters: orNull(lastValues([...request.query])),
    multiValueQueryStringParameters: orNull(allValues([...request.query])),
    pathParameters: match.pathParameters,
    stageVariables: null,
    requestContext: requestContext(api, match, request),
    body: request.body.length === 0 ? null : request.body.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded: isBase64Encoded && request.body.length > 0,
  };
}

/** Value of the first header of that name, or `undefined`. */
export function headerValue(request: GatewayRequest, name: string): string | undefined {
  return request.headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

function requestContext(
  api: ApiModel,
  match: RouteMatch,
  request: GatewayRequest,
): APIGatewayProxyEvent['requestContext'] {
  return {
    accountId: localAccount,
    apiId: api.id,
    authorizer: null,
    domainName: headerValue(request, 'host'),
    extendedRequestId: request.requestId,
    httpMethod: request.method,
    identity: {
      ...noIdentity,
      sourceIp: request.sourceIp,
      userAgent: headerValue(request, 'user-agent') ?? null,
    },
    path: request.stagePath + request.path,
    protocol: 'HTTP/1.1',
    requestId: request.requestId,
    requestTime: logTime(request.receivedAt),
    requestTimeEpoch: request.receivedAt,
    resourceId: match.resource.path,
    resourcePath: match.resource.path,
    stage: api.stageName,
  };
}

/** The functions authenticate callers; API Gateway does not. */
export const noIdentity = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};

function forwardedHeaders({ headers, sourceIp, body }: GatewayRequest): readonly Header[] {
  const earlier = headers
    .filter(([name]) => name.toLowerCase() === 'x-forwarded-for')
    .map(([, value]) => value);
  return [
    ...headers.filter(([name]) => !/^(x-forwarded-.*|content-length)$/i.test(name)),
    ...(body.length === 0 ? [] : [['Content-Length', String(body.length)] as const]),
    ['X-Forwarded-For', [...earlier, sourceIp].join(', ')],
    ['X-Forwarded-Proto', 'http'],
  ];
}

function lastValues(pairs: readonly Header[]): Record<string, string> {
  return Object.fromEntries(pairs);
}

function allValues(pairs: readonly Header[]): Record<string, string[]> {
  const values: Record<string, string[]> = Object.create(null);
  for (const [name, value] of pairs) values[name] = [...(values[name] ?? []), value];
  return values;
}

function orNull<Values extends object>(values: Values): Values | null {
  return Object.keys(values).length === 0 ? null : values;
}

/** `09/Apr/2026:12:34:56 +0000`. */
function logTime(epochMs: number): string {
  const [, day, month, year, time] = new Date(epochMs).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}

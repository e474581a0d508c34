import type { APIGatewayProxyEvent } from 'aws-lambda';
import { findHeader, type Header } from '../../servers/header-list.ts';
import type { ApiModel } from '../../template/api-model.ts';
import { localAccount } from '../../template/identities.ts';
import type { GatewayRequest } from './gateway-request.ts';
import { matchesMediaType } from './header-rules.ts';
import type { Target } from './router.ts';

/** The event of a Lambda proxy integration, payload version 1.0. */
export function proxyEvent(
  api: ApiModel,
  { resourcePath, pathParameters }: Omit<Target, 'functionArn'>,
  request: GatewayRequest,
): APIGatewayProxyEvent {
  const { requestId, method, path, body } = request;
  const headers = forwardedHeaders(request);
  const query = [...request.query];
  const isBase64Encoded = matchesMediaType(api.binaryMediaTypes, headerValue(request, 'content-type'));
  return {
    resource: resourcePath,
    path,
    httpMethod: method,
    headers: Object.fromEntries(headers),
    multiValueHeaders: allValues(headers),
    queryStringParameters: query.length === 0 ? null : Object.fromEntries(query),
    multiValueQueryStringParameters: query.length === 0 ? null : allValues(query),
    pathParameters,
    stageVariables: null,
    requestContext: {
      accountId: localAccount,
      apiId: api.id,
      authorizer: null,
      domainName: headerValue(request, 'host'),
      extendedRequestId: requestId,
      httpMethod: method,
      identity: {
        ...noIdentity,
        sourceIp: request.sourceIp,
        userAgent: headerValue(request, 'user-agent') ?? null,
      },
      path: request.stagePath + path,
      protocol: 'HTTP/1.1',
      requestId,
      requestTime: logTime(request.receivedAt),
      requestTimeEpoch: request.receivedAt,
      resourceId: resourcePath,
      resourcePath,
      stage: api.stageName,
    },
    body: body.length === 0 ? null : body.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded: isBase64Encoded && body.length > 0,
  };
}

/** Value of the first header of that name, or `undefined`. */
export function headerValue({ headers }: GatewayRequest, wanted: string): string | undefined {
  return findHeader(headers, (name) => name === wanted);
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
  const earlier = headers.filter(([name]) => name.toLowerCase() === 'x-forwarded-for').map(([, value]) => value);
  return [
    ...headers.filter(([name]) => !/^(x-forwarded-.*|content-length)$/i.test(name)),
    ...(body.length === 0 ? [] : [['Content-Length', String(body.length)] as const]),
    ['X-Forwarded-For', [...earlier, sourceIp].join(', ')],
    ['X-Forwarded-Proto', 'http'],
  ];
}

function allValues(pairs: readonly Header[]): Record<string, string[]> {
  const groups = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries([...groups].map(([name, group]) => [name, group.map(([, value]) => value)]));
}

/** `09/Apr/2026:12:34:56 +0000`. */
function logTime(epochMs: number): string {
  const [, day, month, year, time] = new Date(epochMs).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}

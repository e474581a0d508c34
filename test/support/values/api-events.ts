type Members = Readonly<Record<string, unknown>>;

/** An event that API Gateway can send, as it differs from an ordinary request with a valid API key. */
export type EventVector = {
  readonly name: string;
  /** Members of the event; `undefined` leaves one out. */
  readonly given: Members;
  /** Members of the request context in place of the usual ones. Default: the usual ones. */
  readonly context?: Members;
  /** What every operation answers: status, code, and the pointer to the fault. */
  readonly refusal: readonly [status: number, code: string, pointer?: string];
  /** The status with which the files function answers, when `/docs/guide` is asked for. Default: 200. */
  readonly page?: number;
};

/** No operation takes this parameter: the request got as far as its query, and the table is not asked. */
const unknownParameter = {
  queryStringParameters: { limt: '1' },
  multiValueQueryStringParameters: { limt: ['1'] },
};
const wrongQuery = [400, 'invalid_request', '?limt'] as const;
const wrongBody = [400, 'invalid_request', ''] as const;
const wrongType = [400, 'invalid_request', 'Content-Type'] as const;
const noCredential = [401, 'missing_authorization'] as const;

const nothing = {
  headers: null,
  multiValueHeaders: null,
  queryStringParameters: null,
  multiValueQueryStringParameters: null,
  stageVariables: null,
  body: null,
};

/** What the Test button of API Gateway's console has in place of a caller. */
const tester = {
  accountId: '123456789012',
  apiId: 'a1b2c3d4e5',
  identity: {
    accessKey: 'ASIAEXAMPLE',
    accountId: '123456789012',
    apiKey: 'test-invoke-api-key',
    apiKeyId: 'test-invoke-api-key-id',
    caller: 'AROAEXAMPLE:operator',
    cognitoAuthenticationProvider: null,
    cognitoAuthenticationType: null,
    cognitoIdentityId: null,
    cognitoIdentityPoolId: null,
    principalOrgId: null,
    sourceIp: 'test-invoke-source-ip',
    user: 'AROAEXAMPLE:operator',
    userAgent: 'Mozilla/5.0',
    userArn: 'arn:aws:sts::123456789012:assumed-role/Admin/operator',
  },
  requestId: '0fd5d91d-ef13-4070-b93f-eb273bd1097a',
  resourceId: 'hjltou',
  stage: 'test-invoke-stage',
};
const testContext = {
  ...tester,
  domainName: 'testPrefix.testDomainName',
  domainPrefix: 'testPrefix',
  extendedRequestId: 'GqZP1HFgCYcFegQ=',
  path: '/docs/guide',
  protocol: 'HTTP/1.1',
  requestTime: '26/Nov/2026:03:04:17 +0000',
  requestTimeEpoch: 1_795_662_257_944,
};

const json = 'application/json';

/** @param key of a known customer */
export const apiEvents = (key: string): readonly EventVector[] => [
  { name: 'a test of the console', given: nothing, context: testContext, refusal: noCredential },
  {
    name: 'a test of the console with a header and a body',
    given: {
      ...nothing,
      headers: { authorization: 'Bearer test' },
      multiValueHeaders: { authorization: ['Bearer test'] },
      body: '{\n  "url": "https://a.example"\n}',
    },
    context: testContext,
    refusal: [401, 'invalid_key'],
  },
  {
    name: 'a test of the console of earlier years, which knew no repeated values and no path in the context',
    given: { ...nothing, multiValueHeaders: undefined, multiValueQueryStringParameters: undefined },
    context: { ...tester, requestId: 'test-invoke-request' },
    refusal: noCredential,
  },
  { name: 'an empty request context', given: nothing, context: {}, refusal: noCredential },
  {
    name: 'no request context',
    given: { ...nothing, requestContext: undefined },
    refusal: noCredential,
  },
  {
    name: 'the request context null',
    given: { ...nothing, requestContext: null },
    refusal: noCredential,
  },
  { name: 'no headers', given: { headers: {}, multiValueHeaders: {} }, refusal: noCredential },
  {
    name: 'headers without a value',
    given: { headers: { authorization: null, accept: null }, multiValueHeaders: { accept: null } },
    refusal: noCredential,
  },
  {
    name: 'no path parameters',
    given: { ...unknownParameter, pathParameters: null },
    refusal: wrongQuery,
    page: 302,
  },
  { name: 'HEAD', given: { ...unknownParameter, httpMethod: 'HEAD' }, refusal: wrongQuery },
  { name: 'OPTIONS', given: { ...nothing, httpMethod: 'OPTIONS' }, refusal: noCredential },
  {
    name: 'a parameter without a value beside an unknown one',
    given: { multiValueQueryStringParameters: { limit: null, limt: ['1', '2'] } },
    refusal: wrongQuery,
  },
  {
    name: 'header names in lower case',
    given: {
      ...unknownParameter,
      headers: { authorization: `Bearer ${key}`, 'content-type': json },
      body: '{}',
    },
    refusal: wrongQuery,
  },
  {
    name: 'header names in capitals',
    given: {
      ...unknownParameter,
      headers: { AUTHORIZATION: `Bearer ${key}`, 'CONTENT-TYPE': json },
      body: '{}',
    },
    refusal: wrongQuery,
  },
  {
    name: 'repeated headers',
    given: {
      ...unknownParameter,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': json, 'Accept-Encoding': 'br' },
      multiValueHeaders: {
        Authorization: ['Basic YTpi', `Bearer ${key}`],
        'Content-Type': [json, json],
        'Accept-Encoding': ['gzip', 'br'],
      },
      body: '{}',
    },
    refusal: wrongQuery,
  },
  {
    name: 'a header repeated in another spelling',
    given: {
      ...unknownParameter,
      headers: { Authorization: 'Basic YTpi', authorization: `Bearer ${key}` },
      multiValueHeaders: { Authorization: ['Basic YTpi'], authorization: [`Bearer ${key}`] },
    },
    refusal: wrongQuery,
  },
  ...bodies(key),
];

/** API Gateway sends bodies in Base64, because all media types of the API are binary; the console sends text. */
const bodies = (key: string): readonly EventVector[] => {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': json };
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const withBody = (name: string, given: Members, refusal: EventVector['refusal']): EventVector => ({
    name,
    given: { ...unknownParameter, headers, ...given },
    refusal,
  });
  return [
    withBody('a body in Base64', { body: base64('{}'), isBase64Encoded: true }, wrongQuery),
    withBody('a body as text', { body: '{}', isBase64Encoded: undefined }, wrongQuery),
    withBody('an empty body in Base64', { body: '', isBase64Encoded: true }, wrongQuery),
    withBody('no member for the body', { body: undefined, isBase64Encoded: undefined }, wrongQuery),
    withBody('a body that is not Base64', { body: '%%%', isBase64Encoded: true }, wrongBody),
    withBody('a body of invalid UTF-8', { body: 'gICA', isBase64Encoded: true }, wrongBody),
    withBody('a body without a type', { body: '{}', headers: { Authorization: `Bearer ${key}` } }, wrongType),
  ];
};

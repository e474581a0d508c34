import { limits } from '#shared/contract/limits.ts';
import { Problem, type ProblemDetails, problemDocument } from '#shared/contract/problem.ts';
import { type ProblemCode, problemCodeNames, problemCodes } from '#shared/contract/problem-codes.ts';
import { type OperationName, operationNames, type Route, routes } from '#shared/contract/routes.ts';
import { webhooks } from './events.ts';
import { type JsonObject, toJsonSchema } from './json-schema.ts';
import { type OperationDetails, operationDetails } from './operations.ts';

/** The address of the documentation in examples. */
const exampleDocsUrl = 'https://api.example.com/docs';

/** Codes that every customer operation can return. */
const customerProblems: readonly ProblemCode[] = [
  'missing_authorization',
  'invalid_key',
  'key_revoked',
  'invalid_token',
  'connection_revoked',
  'organization_not_selected',
  'organization_access_revoked',
  'rate_limit_exceeded',
  'invalid_request',
];

/** The OpenAPI 3.1 description of the API, derived from its routes, schemas and problem codes. */
export function openApiDocument(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Webhook delivery service',
      version: '1',
      summary: 'Signed webhooks for Runs and Trackers, and the stored results that they link to.',
      description:
        'Every failure is a problem document (RFC 9457); the meaning of a `code` never changes. Every list returns `items` and `next_cursor`. `webhooks` describes the requests that endpoints receive; `Service` in their headers stands for the name of the deployment.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The address of the deployment' }],
    security: [{ bearer: [] }],
    tags: ['Webhooks', 'Deliveries', 'Results', 'Documentation', 'Events'].map((name) => ({
      name,
      description: name,
    })),
    paths: paths(),
    webhooks: webhooks(),
    components: components(),
  };
}

function paths(): object {
  const byPath = new Map<string, Record<string, object>>();
  for (const name of operationNames) {
    const { method, path } = routes[name];
    byPath.set(path, { ...byPath.get(path), [method.toLowerCase()]: operation(name) });
  }
  return Object.fromEntries(byPath);
}

function operation(name: OperationName): object {
  const route: Route = routes[name];
  const details = operationDetails[name];
  return {
    operationId: name,
    tags: [details.tag],
    summary: route.summary,
    ...(route.access === 'public' ? { security: [] } : {}),
    parameters: [...pathParameters(route.path), ...queryParameters(details)],
    ...(details.body === undefined ? {} : { requestBody: requestBody(details.body) }),
    responses: { [route.status]: success(route, details), ...failures(route) },
  };
}

function pathParameters(path: string): readonly object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters({ query }: OperationDetails): readonly object[] {
  if (query === undefined) return [];
  const { properties } = toJsonSchema(query, 'input');
  return Object.entries(Object(properties)).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    ...(queryTexts[name] === undefined ? {} : { description: queryTexts[name] }),
    schema: name === 'limit' ? limitSchema : schema,
  }));
}

const limitSchema = {
  type: 'integer',
  minimum: 1,
  maximum: limits.pageSizeMax,
  default: limits.pageSizeDefault,
};

const queryTexts: Readonly<Record<string, string>> = {
  limit: 'Maximum number of records on the page. A value outside the range is an error.',
  cursor: 'The `next_cursor` of the previous page of the same list with the same filters.',
};

function requestBody(schema: NonNullable<OperationDetails['body']>): object {
  return {
    required: true,
    content: {
      'application/json': {
        schema: toJsonSchema(schema, 'input'),
        example: { url: 'https://hooks.example.com/runs', description: 'Production' },
      },
    },
  };
}

function success(route: Route, { response, example }: OperationDetails): object {
  const headers = route.access === 'customer' ? { headers: rateLimitHeaders } : {};
  if (response === null) return { description: 'Success, without a body.', ...headers };
  if (response === 'html') {
    return { description: 'An HTML page.', content: { 'text/html': { schema: { type: 'string' } } } };
  }
  const schema = toJsonSchema(response, 'output');
  return { description: 'Success.', ...headers, content: { 'application/json': { schema, example } } };
}

const rateLimitHeaders = {
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimit-Policy' },
  RateLimit: { $ref: '#/components/headers/RateLimit' },
};

/** One response per status, with one example per code. */
function failures(route: Route): object {
  const codes: readonly ProblemCode[] = [
    ...(route.access === 'customer' ? customerProblems : []),
    ...route.problems,
    'internal_error',
  ];
  const distinct = [...new Set(codes)];
  const statuses = [...new Set(codes.map((code) => problemCodes[code].status))].sort();
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      failure(distinct.filter((code) => problemCodes[code].status === status)),
    ]),
  );
}

function failure(codes: readonly ProblemCode[]): object {
  return {
    description: codes.map((code) => `\`${code}\`: ${problemCodes[code].meaning}`).join('\n\n'),
    ...failureHeaders(codes),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleProblem(code) }])),
      },
    },
  };
}

function failureHeaders(codes: readonly ProblemCode[]): object {
  if (codes.includes('rate_limit_exceeded')) {
    return { headers: { ...rateLimitHeaders, 'Retry-After': { $ref: '#/components/headers/Retry-After' } } };
  }
  if (codes.some((code) => problemCodes[code].status === 401)) {
    return { headers: { [challengeHeader]: { $ref: `#/components/headers/${challengeHeader}` } } };
  }
  return {};
}

/** API Gateway renames the `WWW-Authenticate` header of a function's response to this. */
const challengeHeader = 'x-amzn-Remapped-WWW-Authenticate';

const exampleMembers: { readonly [C in ProblemCode]?: ProblemDetails<C> } = {
  invalid_request: {
    detail: 'The URL must use https',
    errors: [{ pointer: '/url', detail: 'The URL must use https' }],
  },
  rate_limit_exceeded: { limit: limits.requestsPerMinute, retryAfter: 12 },
  webhook_limit_exceeded: { limit: limits.endpointsPerCustomer },
  webhook_rotation_in_progress: { overlap_expires_at: '2026-11-21T10:00:00.000Z' },
};

function exampleProblem(code: ProblemCode): object {
  const failure = new Problem(code, { ...exampleMembers[code] });
  return problemDocument(failure, exampleDocsUrl, 'f4d3c2b1-0000-4000-8000-000000000000');
}

function components(): JsonObject {
  return {
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'An API key, or an access token issued for a connection.',
      },
    },
    headers: {
      'Retry-After': { description: 'Seconds to wait before the next request.', schema: { type: 'integer' } },
      'RateLimit-Policy': {
        description: 'At most `q` requests are admitted in any `w` seconds.',
        schema: { type: 'string' },
        example: '"default";q=60;w=60',
      },
      RateLimit: {
        description:
          'Remaining requests (`r`), and seconds until the oldest counted request leaves the window (`t`).',
        schema: { type: 'string' },
        example: '"default";r=41;t=23',
      },
      [challengeHeader]: {
        description:
          'The required authentication scheme. API Gateway renames `WWW-Authenticate` to this header.',
        schema: { type: 'string' },
        example: 'Bearer',
      },
    },
    schemas: { Problem: problemSchema },
  };
}

const problemSchema: JsonObject = {
  type: 'object',
  description: 'A failure. Branch on `code`; a code may add members.',
  required: ['type', 'title', 'status', 'code'],
  additionalProperties: true,
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', enum: problemCodeNames },
    detail: { type: 'string' },
    instance: { type: 'string', description: 'The id of the request.' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: {
          pointer: {
            type: 'string',
            description: 'JSON Pointer into the body, or `?name` for a query parameter.',
          },
          detail: { type: 'string' },
        },
      },
    },
  },
};

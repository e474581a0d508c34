import middy from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Principal } from '#shared/auth/authenticate.ts';
import type { Admitted } from '#shared/auth/rate-limit.ts';
import { invalidRequest, problem } from '#shared/contract/problem.ts';
import type { OperationName } from '#shared/contract/routes.ts';
import { routes } from '#shared/contract/routes.ts';
import { rateLimit } from '#shared/domain/rate-window.ts';
import { answerFailure, answerWith } from './answers.ts';
import { decodeRequestBody } from './request-body.ts';

/** What an operation's handler sees of a request. */
export type ApiRequest = {
  readonly customerId: string;
  /** Path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** Every value of every query parameter. */
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** The parsed body; `undefined` when there is none. */
  readonly body: unknown;
};

type Deps = {
  readonly docsUrl: string;
  readonly authenticate: (authorization: string | undefined) => Promise<Principal>;
  /** Counts a request of the credential. */
  readonly limitRequests: (credentialId: string) => Promise<Admitted>;
};

/** What was found out about a request before its operation runs. */
type Known = { readonly principal: Principal; readonly headers: Admitted['headers'] };

/**
 * Wraps one operation of the API: credential, then request limit, then body, then the operation. Whatever is thrown
 * becomes a problem document, and every answer to a credential says what remains of its limit.
 *
 * @param run returns the body of the success, or nothing for 204
 */
export function apiHandler(
  operation: OperationName,
  deps: Deps,
  run: (request: ApiRequest) => Promise<unknown>,
) {
  const known = new WeakMap<APIGatewayProxyEvent, Known>();
  const withLimit = (event: APIGatewayProxyEvent, answer: APIGatewayProxyResult): APIGatewayProxyResult => ({
    ...answer,
    headers: { ...answer.headers, ...known.get(event)?.headers },
  });
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, Context>()
    .onError(({ event, error }) =>
      withLimit(event, answerFailure(error, deps.docsUrl, event.requestContext.requestId)),
    )
    .before(async ({ event }) => {
      const principal = await deps.authenticate(header(event, 'authorization'));
      const admitted = await deps.limitRequests(principal.credentialId);
      known.set(event, { principal, headers: admitted.headers });
      if (!admitted.admitted) {
        throw problem('rate_limit_exceeded', { limit: rateLimit, retryAfter: admitted.retryAfter });
      }
    })
    .use(jsonBody())
    .handler(async (event) => {
      const body = await run(toRequest(event, known.get(event)?.principal));
      return withLimit(event, answerWith(routes[operation].status, body));
    });
}

function toRequest(event: APIGatewayProxyEvent, principal: Principal | undefined): ApiRequest {
  if (principal === undefined) throw new Error('Cannot run an operation before the credential is checked');
  return {
    customerId: principal.customerId,
    path: definedOnly(event.pathParameters),
    query: definedOnly(event.multiValueQueryStringParameters),
    body: event.body ?? undefined,
  };
}

const jsonType = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;.*)?$/i;

/** Parses the body of a request that has one, after it was found safe to parse. */
function jsonBody(): middy.MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult, Error, Context> {
  const parser = httpJsonBodyParser<APIGatewayProxyEvent>({ disableContentTypeCheck: true });
  return {
    before: async (request) => {
      const { event } = request;
      if (event.body === null || event.body === undefined || event.body === '') {
        event.body = null;
        return;
      }
      if (!jsonType.test(header(event, 'content-type') ?? '')) {
        throw invalidRequest('', 'The content type must be application/json');
      }
      const text = decodeRequestBody(event.body, event.isBase64Encoded);
      event.body = text;
      event.isBase64Encoded = false;
      try {
        await parser.before?.(request);
      } catch {
        throw invalidRequest('', isJson(text) ? forbiddenMember : 'The body must be valid JSON');
      }
    },
  };
}

const forbiddenMember = 'The body must have no member __proto__, and no constructor that has a prototype';

/** Only asked of a text that the parser refused: it also refuses members that reach for an object's prototype. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function header(event: APIGatewayProxyEvent, name: string): string | undefined {
  const found = Object.entries(event.headers ?? {}).find(([key]) => key.toLowerCase() === name);
  return found?.[1];
}

function definedOnly<T>(record: Readonly<Record<string, T | undefined>> | null): Readonly<Record<string, T>> {
  const entries = Object.entries(record ?? {});
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

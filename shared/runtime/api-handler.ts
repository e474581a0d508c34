import middy from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Principal } from '../auth/authenticate.ts';
import { invalidRequest } from '../contract/problem.ts';
import type { OperationName } from '../contract/routes.ts';
import { routes } from '../contract/routes.ts';
import { answerProblem, answerWith } from './answers.ts';
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
};

/**
 * Wraps one operation of the API: credential, then (where it will be counted) the request limit, then the body,
 * then the operation. Whatever is thrown becomes a problem document.
 *
 * @param run returns the body of the success, or nothing for 204
 */
export function apiHandler(
  operation: OperationName,
  deps: Deps,
  run: (request: ApiRequest) => Promise<unknown>,
) {
  const principals = new WeakMap<APIGatewayProxyEvent, Principal>();
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, Context>()
    .onError(answerProblem(deps.docsUrl))
    .before(async ({ event }) => {
      principals.set(event, await deps.authenticate(header(event, 'authorization')));
    })
    .use(jsonBody())
    .handler(async (event) => {
      const principal = principals.get(event);
      if (principal === undefined)
        throw new Error('Cannot run an operation before the credential is checked');
      const body = await run({
        customerId: principal.customerId,
        path: definedOnly(event.pathParameters),
        query: definedOnly(event.multiValueQueryStringParameters),
        body: event.body ?? undefined,
      });
      return answerWith(routes[operation].status, body);
    });
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
      event.body = decodeRequestBody(event.body, event.isBase64Encoded);
      event.isBase64Encoded = false;
      try {
        await parser.before?.(request);
      } catch {
        throw invalidRequest('', 'The body must be valid JSON');
      }
    },
  };
}

function header(event: APIGatewayProxyEvent, name: string): string | undefined {
  const found = Object.entries(event.headers ?? {}).find(([key]) => key.toLowerCase() === name);
  return found?.[1];
}

function definedOnly<T>(record: Readonly<Record<string, T | undefined>> | null): Readonly<Record<string, T>> {
  const entries = Object.entries(record ?? {});
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

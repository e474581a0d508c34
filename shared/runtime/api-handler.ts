import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Principal } from '#shared/auth/authenticate.ts';
import type { Admitted } from '#shared/auth/rate-limit.ts';
import { problem } from '#shared/contract/problem.ts';
import { isChange, type OperationName, routes } from '#shared/contract/routes.ts';
import {
  type ApiMiddleware,
  type ApiRequest,
  type AuthenticatedEvent,
  type QueryOf,
  type QuerySchema,
  toApiRequest,
} from './api-request.ts';
import { jsonBody } from './middlewares/json-body.ts';
import { requestLimit } from './middlewares/request-limit.ts';
import { requestLog } from './middlewares/request-log.ts';
import { headerOf, requestIdOf } from './proxy-event.ts';
import { failureResponse, successResponse } from './responses.ts';

type Deps = {
  readonly docsUrl: string;
  readonly authenticate: (authorization: string | undefined) => Promise<Principal>;
  /** Counts a request of the credential. */
  readonly limitRequests: (credentialId: string) => Promise<Admitted>;
};

/**
 * Wraps one customer operation: credential, then request limit, then what the credential may do, then body and query,
 * then the operation. Failures pass the steps in reverse: `jsonBody()` explains what its parser refused, `problems()`
 * makes the response, `requestLimit()` adds its headers, `requestLog()` writes the line of the request.
 *
 * @param query the parameters that the operation takes; all others are refused
 * @param run returns the body of a success; `undefined` for 204
 */
export function apiHandler<S extends QuerySchema>(
  operation: OperationName,
  deps: Deps,
  query: S,
  run: (request: ApiRequest<QueryOf<S>>) => Promise<unknown>,
) {
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, Context>()
    .use(requestLog(operation))
    .use(credential(deps))
    .use(requestLimit(deps.limitRequests))
    .use(scope(operation))
    .use(problems(deps))
    .use(jsonBody())
    .handler<APIGatewayProxyEvent>(async (event) =>
      successResponse(routes[operation].status, await run(toApiRequest(event, query))),
    );
}

/** Authenticates the caller. @throws Problem 401 or 403 */
function credential({ authenticate }: Deps): ApiMiddleware<AuthenticatedEvent> {
  return {
    before: async (request) => {
      const principal = await authenticate(headerOf(request.event, 'authorization'));
      request.event = { ...request.event, principal };
    },
  };
}

/** Keeps a credential that may only read from every operation that changes something. @throws Problem 403 */
function scope(operation: OperationName): ApiMiddleware<AuthenticatedEvent> {
  return {
    before: async ({ event: { principal } }) => {
      if (principal.readOnly === true && isChange(operation)) throw problem('portal_link_read_only');
    },
  };
}

/** Turns any thrown value into a problem document. */
function problems({ docsUrl }: Deps): ApiMiddleware {
  return {
    onError: (request) => {
      request.response = failureResponse(request.error, docsUrl, requestIdOf(request.event));
    },
  };
}

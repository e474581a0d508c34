import { Problem } from '#shared/contract/problem.ts';
import type { OperationName } from '#shared/contract/routes.ts';
import type { ApiMiddleware, AuthenticatedEvent } from '../api-request.ts';
import { pathFacts } from '../path-facts.ts';
import { report } from '../telemetry.ts';

type LogMiddleware = ApiMiddleware<AuthenticatedEvent>;

/**
 * Logs and counts one request, with the request id of the access log and the ids in the path. Only a failure of the
 * service has its cause: the query, the headers and the bodies may contain secrets of the customer.
 */
export function requestLog(operation: OperationName): LogMiddleware {
  const log: NonNullable<LogMiddleware['after']> = ({ event, response, error }) => {
    const request = {
      requestId: event.requestContext.requestId,
      operation,
      ...('principal' in event ? { customerId: event.principal.customerId } : {}),
      path: pathFacts(event.pathParameters),
      status: response?.statusCode,
    };
    // A thrown value may be anything, also undefined.
    if ((response?.statusCode ?? 500) >= 500) {
      report({ name: 'request.failed', ...request, cause: error });
      return;
    }
    report({ name: 'request.done', ...request, ...(error instanceof Problem ? { code: error.code } : {}) });
  };
  return { after: log, onError: log };
}

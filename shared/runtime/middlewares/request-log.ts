import { Problem } from '#shared/contract/problem.ts';
import type { OperationName } from '#shared/contract/routes.ts';
import type { ApiMiddleware, AuthenticatedEvent } from '../api-request.ts';
import { describe } from '../log-facts.ts';
import { logger } from '../telemetry.ts';

type LogMiddleware = ApiMiddleware<AuthenticatedEvent>;

/**
 * Logs one line per request, with the request id of the access log. Only a failure of the service has its cause: the
 * path, the query, the headers and the bodies may contain secrets of the customer.
 */
export function requestLog(operation: OperationName): LogMiddleware {
  const log: NonNullable<LogMiddleware['after']> = ({ event, response, error }) => {
    const facts = {
      request_id: event.requestContext.requestId,
      operation,
      // Absent when the credential was refused.
      ...('principal' in event ? { customer_id: event.principal.customerId } : {}),
      status: response?.statusCode,
    };
    // A thrown value may be anything, also undefined.
    if ((response?.statusCode ?? 500) >= 500) {
      logger.error('request.failed', { ...facts, cause: describe(error) });
      return;
    }
    logger.info('request.done', { ...facts, ...(error instanceof Problem ? { code: error.code } : {}) });
  };
  return { after: log, onError: log };
}

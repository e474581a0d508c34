import type { StatusClass } from '#shared/contract/metrics.ts';
import { Problem } from '#shared/contract/problem.ts';
import type { OperationName } from '#shared/contract/routes.ts';
import type { ApiMiddleware, AuthenticatedEvent } from '../api-request.ts';
import { describe } from '../log-facts.ts';
import { pathFacts } from '../path-facts.ts';
import { logger } from '../telemetry.ts';

type LogMiddleware = ApiMiddleware<AuthenticatedEvent>;

/**
 * Logs and counts one request, with the request id of the access log and the ids in the path. Only a failure of the
 * service has its cause: the query, the headers and the bodies may contain secrets of the customer.
 */
export function requestLog(operation: OperationName): LogMiddleware {
  const log: NonNullable<LogMiddleware['after']> = ({ event, response, error }) => {
    const facts = {
      request_id: event.requestContext.requestId,
      operation,
      // Absent when the credential was refused.
      ...('principal' in event ? { customer_id: event.principal.customerId } : {}),
      ...pathFacts(event.pathParameters),
      status: response?.statusCode,
    };
    const measured = {
      values: { apiRequests: 1 },
      dimensions: { operation, status_class: statusClassOf(response?.statusCode) },
    };
    // A thrown value may be anything, also undefined.
    if ((response?.statusCode ?? 500) >= 500) {
      logger.error('request.failed', { ...facts, cause: describe(error) }, measured);
      return;
    }
    logger.info(
      'request.done',
      { ...facts, ...(error instanceof Problem ? { code: error.code } : {}) },
      measured,
    );
  };
  return { after: log, onError: log };
}

/** The API answers with neither 1xx nor 3xx. */
function statusClassOf(status = 500): StatusClass {
  if (status >= 500) return '5xx';
  return status >= 400 ? '4xx' : '2xx';
}

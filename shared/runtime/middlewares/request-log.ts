import { Problem } from '#shared/contract/problem.ts';
import type { OperationName } from '#shared/contract/routes.ts';
import { isEngineId, isOwnId } from '#shared/domain/ids.ts';
import type { ApiMiddleware, AuthenticatedEvent } from '../api-request.ts';
import { requestIdOf } from '../proxy-event.ts';
import { report } from '../telemetry.ts';

type LogMiddleware = ApiMiddleware<AuthenticatedEvent>;

/**
 * Logs and counts one request, with the request id of the access log and the ids in the path. Only a failure of the
 * service has its cause: the query, the headers and the bodies may contain secrets of the customer.
 */
export function requestLog(operation: OperationName): LogMiddleware {
  const log: NonNullable<LogMiddleware['after']> = ({ event, response, error }) => {
    const request = {
      requestId: requestIdOf(event),
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

type PathParameters = Readonly<Record<string, string | undefined>> | null;

/**
 * The records that a path names, as members of a log line. A parameter that is no id may be anything, also a secret that
 * was pasted into the wrong place, so it is left out.
 */
function pathFacts(parameters: PathParameters): Readonly<Record<string, string>> {
  const facts: Record<string, string> = {};
  for (const text of Object.values(parameters ?? {})) {
    const name = text === undefined ? undefined : memberOf(text);
    if (text !== undefined && name !== undefined) facts[name] = text;
  }
  return facts;
}

function memberOf(text: string): string | undefined {
  if (isOwnId('webhook', text)) return 'webhook_id';
  if (isOwnId('delivery', text)) return 'delivery_id';
  if (isOwnId('bulkReplay', text)) return 'replay_id';
  if (isEngineId('run', text)) return 'run_id';
  return isEngineId('tracker', text) ? 'tracker_id' : undefined;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerJson, readBody } from '../../servers/loopback-server.ts';
import {
  type Call,
  createSchedule,
  createScheduleGroup,
  deleteSchedule,
  deleteScheduleGroup,
  getSchedule,
  getScheduleGroup,
  listScheduleGroups,
  listSchedules,
  type OperationContext,
} from './schedule-operations.ts';
import { SchedulerError, type SchedulerErrorCode, statusOf } from './scheduler-error.ts';

const maxBodyBytes = 2 * 1024 * 1024;

/** Method and path, with `{name}` for a path part, of every operation that is served. */
const operations: Readonly<Record<string, (context: OperationContext, call: Call) => unknown>> = {
  'POST /schedules/{name}': createSchedule,
  'GET /schedules/{name}': getSchedule,
  'DELETE /schedules/{name}': deleteSchedule,
  'GET /schedules': listSchedules,
  'POST /schedule-groups/{name}': createScheduleGroup,
  'GET /schedule-groups/{name}': getScheduleGroup,
  'DELETE /schedule-groups/{name}': deleteScheduleGroup,
  'GET /schedule-groups': listScheduleGroups,
};

/** Names of what the service has and this stand-in has not, to say so by name. */
const unserved: Readonly<Record<string, string>> = {
  'PUT /schedules/{name}': 'UpdateSchedule',
  'GET /tags/{name}': 'ListTagsForResource',
  'POST /tags/{name}': 'TagResource',
  'DELETE /tags/{name}': 'UntagResource',
};

/** Answers one REST-JSON call of EventBridge Scheduler, or `GET /_history` with what was scheduled so far. */
export async function answerSchedulerCall(
  context: OperationContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const body = await readBody(request, maxBodyBytes);
    if (request.method === 'GET' && url.pathname === '/_history') {
      answerJson(response, 200, context.history.list());
      return;
    }
    answerJson(response, 200, dispatch(context, request.method ?? '', url, body));
  } catch (error) {
    answerError(response, error);
  }
}

function dispatch(context: OperationContext, method: string, url: URL, body: Buffer): unknown {
  const [, collection = '', ...rest] = url.pathname.split('/');
  const route = `${method} /${collection}${rest.length > 0 ? '/{name}' : ''}`;
  const operation = operations[route];
  if (operation === undefined) {
    throw new SchedulerError(
      'UnknownOperationException',
      `The local Scheduler does not serve ${unserved[route] ?? `${method} ${url.pathname}`}.`,
    );
  }
  const name = decodeURIComponent(rest.join('/'));
  return operation(context, { name, query: url.searchParams, body: parseBody(body) });
}

function parseBody(body: Buffer): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new SchedulerError('ValidationException', 'The body is not JSON.');
  }
}

function answerError(response: ServerResponse, error: unknown): void {
  const code: SchedulerErrorCode = error instanceof SchedulerError ? error.code : 'InternalServerException';
  response.setHeader('x-amzn-errortype', code);
  answerJson(response, statusOf[code], { Message: error instanceof Error ? error.message : String(error) });
}

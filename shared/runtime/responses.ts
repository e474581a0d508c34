import type { APIGatewayProxyResult } from 'aws-lambda';
import { Problem, problem, problemDocument } from '#shared/contract/problem.ts';

const commonHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** @param body the record; `undefined` for 204 */
function response(status: number, body: unknown): APIGatewayProxyResult {
  if (body === undefined) return { statusCode: status, headers: { ...commonHeaders }, body: '' };
  return {
    statusCode: status,
    headers: { ...commonHeaders, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/** The body of the success that a request with this `Idempotency-Key` had before. */
export class ReplayedBody {
  readonly body: unknown;

  constructor(body: unknown) {
    this.body = body;
  }
}

/** @param result what an operation returned */
export function successResponse(status: number, result: unknown): APIGatewayProxyResult {
  if (!(result instanceof ReplayedBody)) return response(status, result);
  const replayed = response(status, result.body);
  return { ...replayed, headers: { ...replayed.headers, 'Idempotency-Replayed': 'true' } };
}

/** @param instance the request id */
export function problemResponse(
  failure: Problem,
  docsUrl: string,
  instance: string | undefined,
): APIGatewayProxyResult {
  return {
    statusCode: failure.status,
    headers: {
      ...commonHeaders,
      'Content-Type': 'application/problem+json',
      ...(failure.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
      ...(failure.retryAfter === undefined ? {} : { 'Retry-After': String(failure.retryAfter) }),
    },
    body: JSON.stringify(problemDocument(failure, docsUrl, instance)),
  };
}

/** Turns any thrown value into a response. An unexpected failure is not described to the caller. */
export function failureResponse(error: unknown, docsUrl: string, instance: string | undefined): APIGatewayProxyResult {
  const failure = error instanceof Problem ? error : problem('internal_error');
  return problemResponse(failure, docsUrl, instance);
}

import type { APIGatewayProxyResult } from 'aws-lambda';
import { Problem, problem, problemDocument } from '#shared/contract/problem.ts';
import { describe, logger } from './telemetry.ts';

const everyAnswer = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** @param body the record to answer with; none for 204 */
export function answerWith(status: number, body: unknown): APIGatewayProxyResult {
  if (body === undefined) return { statusCode: status, headers: { ...everyAnswer }, body: '' };
  return {
    statusCode: status,
    headers: { ...everyAnswer, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
}

export function htmlAnswer(page: string): APIGatewayProxyResult {
  return {
    statusCode: 200,
    headers: { ...everyAnswer, 'Content-Type': 'text/html; charset=utf-8' },
    body: page,
  };
}

/** @param instance the request id */
export function problemAnswer(failure: Problem, docsUrl: string, instance: string): APIGatewayProxyResult {
  return {
    statusCode: failure.status,
    headers: {
      ...everyAnswer,
      'Content-Type': 'application/problem+json',
      ...(failure.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
      ...(failure.retryAfter === undefined ? {} : { 'Retry-After': String(failure.retryAfter) }),
    },
    body: JSON.stringify(problemDocument(failure, docsUrl, instance)),
  };
}

/** Answers whatever was thrown; what is not the caller's fault is logged, and not described to it. */
export function answerFailure(error: unknown, docsUrl: string, instance: string): APIGatewayProxyResult {
  const failure = toProblem(error);
  if (failure.code === 'internal_error') {
    logger.error('request.failed', { request_id: instance, cause: describe(error) });
  }
  return problemAnswer(failure, docsUrl, instance);
}

function toProblem(error: unknown): Problem {
  return error instanceof Problem ? error : problem('internal_error');
}

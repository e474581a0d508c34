import { limits } from '#shared/contract/limits.ts';
import { type Problem, problem, problemDocument } from '#shared/contract/problem.ts';

/** API Gateway's response to a failure that never reaches a function. */
export type GatewayResponse = {
  /** API Gateway's name for the failure. */
  readonly type: string;
  readonly statusCode: string;
  /** Values are API Gateway expressions, with literals in single quotes. */
  readonly headers: Readonly<Record<string, string>>;
  /** API Gateway replaces `$context` variables only. */
  readonly body: string;
};

/** Seconds. The throttle refills every second. */
const retryAfter = 1;

const invalidRequest = problem('invalid_request');
const tooLarge = problem('invalid_request', { detail: 'The request is larger than this service accepts' });
const notFound = problem('not_found');
const throttled = problem('rate_limit_exceeded', { limit: limits.requestsPerMinute, retryAfter });
const internalError = problem('internal_error');

/**
 * All of API Gateway's response types. Each has its own response, because the template fixes the status in the body.
 * The two defaults cover all other failures; their status line is also fixed, to match the body.
 */
const failures: Readonly<Record<string, Problem>> = {
  ACCESS_DENIED: notFound,
  API_CONFIGURATION_ERROR: internalError,
  AUTHORIZER_CONFIGURATION_ERROR: internalError,
  AUTHORIZER_FAILURE: internalError,
  BAD_REQUEST_BODY: invalidRequest,
  BAD_REQUEST_PARAMETERS: invalidRequest,
  DEFAULT_4XX: invalidRequest,
  DEFAULT_5XX: internalError,
  EXPIRED_TOKEN: notFound,
  INTEGRATION_FAILURE: internalError,
  INTEGRATION_TIMEOUT: internalError,
  INVALID_API_KEY: notFound,
  INVALID_SIGNATURE: notFound,
  MISSING_AUTHENTICATION_TOKEN: notFound,
  QUOTA_EXCEEDED: throttled,
  REQUEST_TOO_LARGE: tooLarge,
  RESOURCE_NOT_FOUND: notFound,
  THROTTLED: throttled,
  UNAUTHORIZED: problem('missing_authorization'),
  UNSUPPORTED_MEDIA_TYPE: invalidRequest,
  WAF_FILTERED: notFound,
};

/**
 * API Gateway's failures as problem documents, as close to those of the functions as API Gateway allows.
 *
 * @param docsUrl base address of the problem type documentation, without a trailing slash
 */
export function gatewayResponses(docsUrl: string): readonly GatewayResponse[] {
  return Object.entries(failures).map(([type, failure]) => ({
    type,
    statusCode: String(failure.status),
    headers: headersOf(failure),
    body: JSON.stringify(problemDocument(failure, docsUrl, '$context.requestId')),
  }));
}

function headersOf(failure: Problem): Readonly<Record<string, string>> {
  return {
    'Content-Type': "'application/problem+json'",
    'Cache-Control': "'no-store'",
    'X-Content-Type-Options': "'nosniff'",
    ...(failure.status === 401 ? { 'WWW-Authenticate': "'Bearer'" } : {}),
    ...(failure.retryAfter === undefined ? {} : { 'Retry-After': `'${failure.retryAfter}'` }),
  };
}

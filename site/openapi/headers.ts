import { type ProblemCode, problemCodes } from '#shared/contract/problem-codes.ts';
import { rateLimit, rateWindowMs } from '#shared/domain/rate-window.ts';
import type { JsonObject } from './json.ts';

/** API Gateway renames the `WWW-Authenticate` header of a function's response to this. */
const challengeHeader = 'x-amzn-Remapped-WWW-Authenticate';

/** The `components.headers` of the document. */
export const headerComponents: JsonObject = {
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  'Idempotency-Replayed': {
    description: 'The response is that of the first request with this `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'RateLimit-Policy': {
    description: 'The request limit: at most `q` requests are admitted in any `w` seconds.',
    schema: { type: 'string' },
    example: `"default";q=${rateLimit};w=${rateWindowMs / 1000}`,
  },
  RateLimit: {
    description: 'Remaining requests (`r`), and seconds until the oldest counted request leaves the window (`t`).',
    schema: { type: 'string' },
    example: '"default";r=41;t=23',
  },
  [challengeHeader]: {
    description: 'The required authentication scheme. API Gateway renames `WWW-Authenticate` to this header.',
    schema: { type: 'string' },
    example: 'Bearer',
  },
};

const references = (...names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Of the success of an operation that takes an `Idempotency-Key`. */
export const replayedHeader = references('Idempotency-Replayed');

/** Headers of every response to an authenticated request. */
export const rateLimitHeaders = references('RateLimit-Policy', 'RateLimit');

/**
 * The headers of a failure of a customer operation. The request limit counts a request once it is authenticated, so the
 * codes that refuse a credential have no headers of the limit.
 */
export function failureHeaders(codes: readonly ProblemCode[]): JsonObject {
  const { status } = problemCodes[codes[0] ?? 'internal_error'];
  if (status === 401) return references(challengeHeader);
  if (status === 403) return {};
  const mayWait = status === 429 || codes.includes('idempotency_in_progress');
  return { ...rateLimitHeaders, ...(mayWait ? references('Retry-After') : {}) };
}

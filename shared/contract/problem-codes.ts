import { credentialProblems } from './problems/credential-problems.ts';
import { endpointProblems } from './problems/endpoint-problems.ts';
import { requestProblems } from './problems/request-problems.ts';
import { serviceProblems } from './problems/service-problems.ts';

/**
 * The catalogue of failures, one entry per stable code. Constructors, gateway responses, documentation pages and OpenAPI
 * all derive from it. Codes are never renamed.
 */
export const problemCodes = {
  ...credentialProblems,
  ...requestProblems,
  ...endpointProblems,
  ...serviceProblems,
};

export type ProblemCode = keyof typeof problemCodes;

/** Codes that are found only inside a stored Run; no operation of this service raises them. */
export const engineCodes: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'unsupported_kind',
  'idempotency_conflict',
  'insufficient_balance',
  'concurrency_limit_exceeded',
  'tracker_limit_exceeded',
  'media_unavailable',
  'vendor_error',
]);

export const problemCodeNames = /* @__PURE__ */ namesOf(problemCodes);

function namesOf(codes: typeof problemCodes): readonly ProblemCode[] {
  return Object.keys(codes).filter(isProblemCode);
}

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problemCodes, text);
}

import { type ProblemCode, problemCodes } from './problem-codes.ts';
import type { ProblemDetails } from './problems/problem-entry.ts';

/** The JSON document of one failure. */
export type ProblemDocument = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail?: string;
  readonly instance?: string;
  readonly [member: string]: unknown;
};

/** A failure that the caller sees. Every other thrown value becomes `internal_error`. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly detail: string | undefined;
  readonly retryAfter: number | undefined;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    code: ProblemCode,
    given: { readonly detail?: string; readonly retryAfter?: number; readonly [member: string]: unknown },
  ) {
    const { detail, retryAfter, ...members } = given;
    super(detail === undefined ? code : `${code}: ${detail}`);
    this.code = code;
    this.detail = detail;
    this.retryAfter = retryAfter;
    this.members = members;
  }

  get status(): number {
    return problemCodes[this.code].status;
  }
}

/** Creates a failure; the compiler requires the members of its code. */
export function problem<C extends ProblemCode>(
  code: C,
  ...given: Record<never, never> extends ProblemDetails<C> ? [ProblemDetails<C>?] : [ProblemDetails<C>]
): Problem {
  return new Problem(code, { ...given[0] });
}

/** An `invalid_request` that points at one fault. */
export function invalidRequest(pointer: string, detail: string): Problem {
  return problem('invalid_request', { detail, errors: [{ pointer, detail }] });
}

/**
 * The problem document (RFC 9457) of a failure.
 *
 * @param docsUrl where problem types are documented, without a trailing slash
 * @param instance the request id
 */
export function problemDocument(failure: Problem, docsUrl: string, instance?: string | undefined): ProblemDocument {
  const { status, title } = problemCodes[failure.code];
  const detail = failure.detail ?? usualDetail(failure);
  return {
    type: problemType(failure.code, docsUrl),
    title,
    status,
    code: failure.code,
    ...(detail === undefined ? {} : { detail }),
    ...(instance === undefined ? {} : { instance }),
    ...failure.members,
  };
}

/** Every 4xx problem tells the caller what to change. A failure of the service has only a title. */
function usualDetail({ code, retryAfter }: Problem): string | undefined {
  if (retryAfter !== undefined) return `Wait ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}, then retry`;
  const { status, remedy } = problemCodes[code];
  return status < 500 ? remedy.replace(/\.$/, '') : undefined;
}

/** The address of the page about a code. */
export function problemType(code: ProblemCode, docsUrl: string): string {
  return `${docsUrl}/errors/${code}`;
}

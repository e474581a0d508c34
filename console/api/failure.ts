import type { Problem } from './records.ts';

/** Why a request has no result. */
export type Failure =
  | {
      readonly kind: 'problem';
      readonly status: number;
      /** A catalogued code, or `null` when the response is no problem document. */
      readonly code: Problem['code'] | null;
      readonly title: string;
      readonly detail: string | null;
      /** Each fault of a wrong request: a JSON Pointer or a parameter, and what is wrong with it. */
      readonly faults: readonly { readonly where: string; readonly detail: string }[];
      /** The page about the code. */
      readonly page: string | null;
      readonly requestId: string | null;
      /** Seconds until the next request is admitted; `null` unless the request limit was met. */
      readonly retryAfter: number | null;
    }
  /** No response: the API is down, or the reader has no network. */
  | { readonly kind: 'offline' };

/** Thrown by requests of the console, caught where their results are shown. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.kind === 'offline' ? 'The API did not answer' : failure.title);
    this.failure = failure;
  }
}

/** Anything thrown by a request, as a failure to show. */
export function failureOf(thrown: unknown): Failure {
  return thrown instanceof RequestFailed ? thrown.failure : { kind: 'offline' };
}

/**
 * Reads the response to a failed request. A proxy in front of the API may answer with something other than a problem
 * document, so nothing of the body is taken for granted.
 */
export function problemFailure(response: Response, body: unknown): Failure {
  const given = isRecord(body) ? body : {};
  return {
    kind: 'problem',
    status: response.status,
    code: textOf(given.code) as Problem['code'] | null,
    title: textOf(given.title) ?? `The API answered with status ${response.status}`,
    detail: textOf(given.detail),
    faults: faultsOf(given.errors),
    page: pageOf(given.type),
    requestId: textOf(given.instance),
    retryAfter:
      response.status === 429 ? Math.max(1, Number(response.headers.get('Retry-After') ?? 1)) : null,
  };
}

function faultsOf(errors: unknown) {
  if (!Array.isArray(errors)) return [];
  return errors.filter(isRecord).map((fault) => ({
    where: textOf(fault.pointer) ?? textOf(fault.parameter) ?? '',
    detail: textOf(fault.detail) ?? '',
  }));
}

/** Only an http address becomes a link. */
function pageOf(type: unknown): string | null {
  const text = textOf(type);
  return text !== null && /^https?:\/\//.test(text) ? text : null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

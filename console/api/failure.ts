import { type Fault, faultText, wordsOf } from './problem-words.ts';

/** Why a request has no result. */
export type Failure =
  | {
      readonly kind: 'problem';
      readonly status: number;
      /** `null` when the response is no problem document. Later versions of the API add codes. */
      readonly code: string | null;
      readonly title: string;
      readonly detail: string | null;
      /** Each fault of a wrong request: a JSON Pointer or a parameter, and what is wrong with it. */
      readonly faults: readonly Fault[];
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

/** A failure that the console itself found. @param title says what was wrong and what to do */
export function ownFailure(title: string): RequestFailed {
  const nothing = { code: null, detail: null, faults: [], page: null, requestId: null, retryAfter: null };
  return new RequestFailed({ kind: 'problem', status: 400, title, ...nothing });
}

/** Anything thrown by a request, as a failure to show. */
export function failureOf(thrown: unknown): Failure {
  return thrown instanceof RequestFailed ? thrown.failure : { kind: 'offline' };
}

/** One or two sentences that say what was wrong, and what to do. */
export function summaryOf(failure: Failure): string {
  if (failure.kind === 'offline') return 'The API does not answer';
  const { title, text } = wordsOf(failure);
  return text === '' ? title : `${title}. ${text}`;
}

/** What is wrong with a field of a form; `null` for nothing. @param where JSON Pointer: `/url` */
export function faultOf(failure: Failure | null, where: string): string | null {
  const faults = failure?.kind === 'problem' ? failure.faults : [];
  const fault = faults.find((each) => each.where === where);
  return fault === undefined ? null : faultText(fault);
}

/** Whether every fault is one of these fields, so that the form says all of it. */
export function isOfFields(failure: Failure, wheres: readonly string[]): boolean {
  if (failure.kind === 'offline' || failure.faults.length === 0) return false;
  return failure.faults.every(({ where }) => wheres.includes(where));
}

/** Whether the API no longer accepts the credential, so that trying again is of no use. */
export function isRefused(failure: Failure): boolean {
  if (failure.kind === 'offline' || failure.status !== 403) return failure.kind === 'problem' && failure.status === 401;
  // A firewall refuses without a code, and a link that can only read is accepted, but not for this.
  return failure.code !== null && failure.code !== 'portal_link_read_only';
}

/** Whether the same request fails again until something else changes. */
export function isLasting(failure: Failure): boolean {
  return failure.kind === 'problem' && failure.status < 500 && failure.status !== 429;
}

/**
 * Reads the response to a failed request. A proxy in front of the API may answer with something other than a problem
 * document, so every member of the body is checked.
 */
export function problemFailure(response: Pick<Response, 'status' | 'headers'>, body: unknown): Failure {
  const given = isRecord(body) ? body : {};
  return {
    kind: 'problem',
    status: response.status,
    code: textOf(given.code),
    title: textOf(given.title) ?? `The API answered with status ${response.status}`,
    detail: textOf(given.detail),
    faults: faultsOf(given.errors),
    page: pageOf(given.type),
    requestId: textOf(given.instance),
    retryAfter: response.status === 429 ? secondsOf(response.headers.get('Retry-After')) : null,
  };
}

function faultsOf(errors: unknown) {
  if (!Array.isArray(errors)) return [];
  return errors.filter(isRecord).map((fault) => ({
    where: textOf(fault.pointer) ?? textOf(fault.parameter) ?? '',
    detail: textOf(fault.detail) ?? '',
  }));
}

/** At least a second; a date, which the field may also be, counts as one. */
function secondsOf(field: string | null): number {
  const seconds = Number(field ?? 1);
  return Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : 1;
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

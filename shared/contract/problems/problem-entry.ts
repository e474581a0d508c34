/**
 * `remedy` tells the caller what to do next; it is also the `detail` of a 4xx problem that has no more specific one.
 */
export type ProblemDefinition = {
  readonly status: number;
  readonly title: string;
  readonly remedy: string;
};

/** One fault of a request: a JSON Pointer into the body, `?name` for a query parameter, or the name of a header. */
export type RequestFault = { readonly pointer: string; readonly detail: string };

/** Seconds of the `Retry-After` header. */
type RetryAfter = { readonly retryAfter: number };

/** What a failure of a code has beyond the five members of every problem document. */
export type ExtraMembers = {
  concurrency_limit_exceeded: RetryAfter;
  invalid_request: { readonly errors?: readonly RequestFault[] };
  insufficient_balance: { readonly balance_usd: number; readonly required_usd: number };
  idempotency_conflict: { readonly run_id: string };
  idempotency_in_progress: RetryAfter;
  rate_limit_exceeded: { readonly limit: number } & RetryAfter;
  replay_in_progress: { readonly replay_id?: string };
  webhook_limit_exceeded: { readonly limit: number };
  webhook_rotation_in_progress: { readonly overlap_expires_at: string };
};

export type ProblemDetails<C extends string> = {
  readonly detail?: string;
} & (C extends keyof ExtraMembers ? ExtraMembers[C] : Record<never, never>);

/** A page of the documentation: `docs/pages/<name>.md`. */
type HelpPage =
  | 'events'
  | 'first-event'
  | 'paging-and-limits'
  | 'receive-and-verify'
  | 'retries-and-replay'
  | 'troubleshooting';

/** What the page of a code says beside its remedy. Sentences with periods; backticks mark code. */
type Text = {
  /** What happened. */
  readonly meaning: string;
  /** Whether and when to retry: the first word is `Yes` or `No`. */
  readonly retry: string;
  /** How to fix it, as instructions: what helps beyond the remedy. */
  readonly fix?: string;
  readonly see?: readonly HelpPage[];
};

/** One occurrence of a code. Without it, the page shows the code with its usual `detail`. */
type Example<C extends string> =
  Record<never, never> extends ProblemDetails<C>
    ? { readonly example?: ProblemDetails<C> }
    : { readonly example: ProblemDetails<C> };

export type ProblemTexts<Code extends string> = { readonly [C in Code]: Text & Example<C> };

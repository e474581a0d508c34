import type { Context } from './context.ts';

/** A requirement of a check, beyond a base URL and two keys. */
export type Need =
  | 'receiver'
  | 'intake'
  | 'other-intake'
  | 'retries'
  | 'limit-key'
  | 'revoked_key'
  | 'token'
  | 'expired_token'
  | 'foreign_audience_token'
  | 'connection_revoked_token'
  | 'organization_not_selected_token'
  | 'organization_access_revoked_token';

/** One promise of the API that can be checked from outside. */
export type Check = {
  /** Unique; states what is true when the check passes. */
  readonly name: string;
  /** The rule, when the name alone is not enough. */
  readonly rule?: string;
  readonly needs: readonly Need[];
  /** `first` runs before all other checks, on an idle service; `last` after them, to check every response. */
  readonly phase?: Phase;
  /** Default 120. */
  readonly timeoutSeconds?: number;
  /** Throws a Mismatch when the rule does not hold. */
  readonly run: (ctx: Context) => Promise<void>;
};

type Phase = 'first' | 'last';

export type Group = {
  readonly heading: string;
  readonly section: string;
  readonly checks: readonly Check[];
};

type Run = Check['run'];

export function check(name: string, needs: readonly Need[], run: Run): Check {
  return { name, needs, run };
}

/** One check per row, all with the same needs. */
export function checksOf<Row>(
  rows: readonly Row[],
  needs: readonly Need[],
  name: (row: Row) => string,
  run: (ctx: Context, row: Row) => Promise<void>,
): readonly Check[] {
  return rows.map((row) => check(name(row), needs, (ctx) => run(ctx, row)));
}

/** Set-up that several checks share. It runs once, on first use, and all checks judge the same evidence. */
export function scenario<Evidence>(
  play: (ctx: Context) => Promise<Evidence>,
): (ctx: Context) => Promise<Evidence> {
  const played = new WeakMap<Context, Promise<Evidence>>();
  return (ctx) => {
    const playing = played.get(ctx) ?? play(ctx);
    played.set(ctx, playing);
    return playing;
  };
}

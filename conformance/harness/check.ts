import type { Context } from './context.ts';

/** What a check cannot do without, beside a base URL and two keys. */
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

/** One promise of the API, made to be seen from outside. */
export type Check = {
  /** Unique; tells what is true when the check passes. */
  readonly name: string;
  /** The rule in the suite's own words, when the name is not enough. */
  readonly rule?: string;
  readonly needs: readonly Need[];
  /** `first` runs before all others, on a calm service; `last` when all are done, to judge every answer seen. */
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

/** One check for each row; all share what they need. */
export function checksOf<Row>(
  rows: readonly Row[],
  needs: readonly Need[],
  name: (row: Row) => string,
  run: (ctx: Context, row: Row) => Promise<void>,
): readonly Check[] {
  return rows.map((row) => check(name(row), needs, (ctx) => run(ctx, row)));
}

/**
 * A stretch of set-up that several checks look at: it is played once in a run, by the first check that asks, and
 * what it saw is what the others judge.
 */
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

import type { SuiteConfig } from './config.ts';
import type { Context } from './context.ts';

/** A requirement of a check, beyond a base URL and two keys: the path of a setting, or time for retries. */
export type Need =
  | 'receiver'
  | 'intake'
  | 'intake.other_customer_id'
  | 'limit_key'
  | `credentials.${keyof SuiteConfig['credentials']}`
  | 'retries';

/** One promise of the API that can be checked from outside. */
export type Check = {
  /** Unique; states what is true when the check passes. */
  readonly name: string;
  readonly needs: readonly Need[];
  /** `first` runs before all other checks, on an idle service; `last` after them, to check every response. */
  readonly phase?: 'first' | 'last';
  /** Throws a Mismatch when the rule does not hold. */
  readonly run: (ctx: Context) => Promise<void>;
};

export type Group = {
  readonly heading: string;
  readonly section: string;
  readonly checks: readonly Check[];
};

/** Collects what a check judges. */
type Play<Evidence> = (ctx: Context) => Promise<Evidence>;

/** Throws a Mismatch when the rule does not hold; the result counts for nothing. */
type Verdict<Evidence> = (evidence: Evidence, ctx: Context) => unknown;

/** @param verdict may be left out when `play` judges what it collects */
export function check<Evidence>(
  name: string,
  needs: readonly Need[],
  play: Play<Evidence>,
  verdict: Verdict<Evidence> = () => undefined,
): Check {
  return {
    name,
    needs,
    run: async (ctx) => {
      await verdict(await play(ctx), ctx);
    },
  };
}

/** Checks of the same evidence, by name. */
export function checksOf<Evidence>(
  play: Play<Evidence>,
  needs: readonly Need[],
  verdicts: Readonly<Record<string, Verdict<Evidence>>>,
): readonly Check[] {
  return Object.entries(verdicts).map(([name, verdict]) => check(name, needs, play, verdict));
}

/** The groups of a heading, from its sections in order. */
export function groupsOf(
  heading: string,
  sections: Readonly<Record<string, readonly Check[]>>,
): readonly Group[] {
  return Object.entries(sections).map(([section, checks]) => ({ heading, section, checks }));
}

/** Set-up that several checks share. It runs once, on first use, and all checks judge the same evidence. */
export function scenario<Evidence>(play: Play<Evidence>): Play<Evidence> {
  const played = new WeakMap<Context, Promise<Evidence>>();
  return (ctx) => {
    const playing = played.get(ctx) ?? play(ctx);
    played.set(ctx, playing);
    return playing;
  };
}

import type { Need } from '../config.ts';
import type { Context } from './session.ts';

/** One promise of the API that can be checked from outside. */
export type Check = {
  /** Unique; states what is true when the check passes. */
  readonly name: string;
  readonly needs: readonly Need[];
  /** `first` runs before all other checks, on an idle service; `last` after them, to check every response. */
  readonly phase?: 'first' | 'last';
  /** Throws a Mismatch when the rule does not hold; the result counts for nothing. */
  readonly run: Play<unknown>;
};

export type Group = {
  readonly heading: string;
  readonly section: string;
  readonly checks: readonly Check[];
};

/** Collects what a check judges. */
type Play<Found> = (ctx: Context) => Promise<Found>;

/** What checks judge, and what a run needs to collect it. */
export type Evidence<Found> = Play<Found> & { readonly needs: readonly Need[] };

/** Throws a Mismatch when the rule does not hold. */
type Verdict<Found> = (found: Found, ctx: Context) => unknown;

/** A check that collects what it judges. */
export function check(name: string, needs: readonly Need[], run: Play<unknown>): Check {
  return { name, needs, run };
}

/** A check of evidence, which says what it needs. */
export function checkOf<Found>(name: string, evidence: Evidence<Found>, verdict: Verdict<Found>): Check {
  return check(name, evidence.needs, async (ctx) => verdict(await evidence(ctx), ctx));
}

/** Checks of the same evidence, by name. */
export function checksOf<Found>(
  evidence: Evidence<Found>,
  verdicts: Readonly<Record<string, Verdict<Found>>>,
): readonly Check[] {
  return Object.entries(verdicts).map(([name, verdict]) => checkOf(name, evidence, verdict));
}

/** The groups of a heading, from its sections in order. */
export function groupsOf(heading: string, sections: Readonly<Record<string, readonly Check[]>>): readonly Group[] {
  return Object.entries(sections).map(([section, checks]) => ({ heading, section, checks }));
}

/** Evidence that every check collects for itself. */
export function collected<Found>(needs: readonly Need[], play: Play<Found>): Evidence<Found> {
  return Object.assign((ctx: Context) => play(ctx), { needs });
}

/** Set-up that several checks share. It runs once, on first use, and all checks judge the same evidence. */
export function scenario<Found>(needs: readonly Need[], play: Play<Found>): Evidence<Found> {
  const played = new WeakMap<Context, Promise<Found>>();
  return collected(needs, (ctx) => {
    const playing = played.get(ctx) ?? play(ctx);
    played.set(ctx, playing);
    return playing;
  });
}

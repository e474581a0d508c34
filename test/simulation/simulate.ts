import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { runScript } from './run-script.ts';
import { scripts } from './scripts.ts';
import type { FaultKind } from './world/faults.ts';
import type { Violation } from './world/journal.ts';
import type { Script } from './world/script.ts';
import { startOfWorld, type World, type WorldOptions } from './world/world.ts';

/** Counts over all runs. */
export type Totals = {
  runs: number;
  deliveries: number;
  posts: number;
  attempts: number;
  slowLaneAttempts: number;
  interrupted: number;
  replays: number;
  bulkReplays: number;
  deletedCustomers: number;
  outages: number;
  powerCuts: number;
  readonly faults: Map<FaultKind, number>;
};

/** A run that broke a promise, with the smallest script that breaks it. */
export type Failure = {
  /** Reproduces it as the first failure of a simulation of `runs` runs. */
  readonly seed: number;
  readonly runs: number;
  readonly script: Script;
  readonly violations: readonly Violation[];
  readonly trace: readonly string[];
};

/** Runs of one seed; the next ones are of the next seed, so that any failure is found again quickly. */
const runsPerSeed = 1000;

/**
 * Plays the requested number of runs, and stops at the first that breaks a promise.
 *
 * @param onSeed called after each seed with the totals so far
 */
export async function simulate(given: {
  readonly runs: number;
  readonly seed: number;
  readonly onSeed?: (totals: Totals) => void;
  readonly options?: () => WorldOptions;
}): Promise<{ readonly totals: Totals; readonly failure: Failure | null }> {
  const { options = () => ({}), onSeed = () => {} } = given;
  const totals = noTotals();
  for (let seed = given.seed; totals.runs < given.runs; seed += 1) {
    const runs = Math.min(runsPerSeed, given.runs - totals.runs);
    const failed = await playSeed(seed, runs, options, totals);
    if (failed !== null) return { totals, failure: await explain(failed, seed, runs, options) };
    onSeed(totals);
  }
  return { totals, failure: null };
}

async function playSeed(
  seed: number,
  numRuns: number,
  options: () => WorldOptions,
  totals: Totals,
): Promise<Script | null> {
  let hasFailed = false;
  const property = fc.asyncProperty(scripts, async (script) => {
    const world = await runScript(script, options());
    // Runs that fast-check makes to shrink a failure are not counted.
    if (!hasFailed) count(totals, world);
    hasFailed ||= world.journal.violations.length > 0;
    // Timers and streams get their turn between runs, never within one.
    if (totals.runs % 50 === 0) await setImmediate();
    return world.journal.violations.length === 0;
  });
  const result = await fc.check(property, { seed, numRuns, verbose: false });
  return result.failed ? (result.counterexample?.[0] ?? null) : null;
}

async function explain(
  script: Script,
  seed: number,
  runs: number,
  options: () => WorldOptions,
): Promise<Failure> {
  const trace: string[] = [];
  const world = await runScript(script, {
    ...options(),
    trace: (time, line) => void trace.push(`${clockTime(time)}  ${line}`),
  });
  return { seed, runs, script, violations: world.journal.violations, trace };
}

/** As `hours:minutes:seconds.milliseconds` since the run began. */
function clockTime(time: number): string {
  const passed = time - startOfWorld;
  const hours = Math.floor(passed / 3_600_000);
  const rest = new Date(passed % 3_600_000).toISOString().slice(14, 23);
  return `${hours}:${rest}`;
}

function noTotals(): Totals {
  return {
    runs: 0,
    deliveries: 0,
    posts: 0,
    attempts: 0,
    slowLaneAttempts: 0,
    interrupted: 0,
    replays: 0,
    bulkReplays: 0,
    deletedCustomers: 0,
    outages: 0,
    powerCuts: 0,
    faults: new Map(),
  };
}

function count(totals: Totals, { journal, table }: World): void {
  totals.runs += 1;
  totals.posts += journal.posts.length;
  totals.attempts += journal.claims.length;
  totals.slowLaneAttempts += journal.claims.filter(
    ({ invocation }) => invocation?.name === 'deliverSlow',
  ).length;
  totals.replays += journal.replays.length;
  totals.bulkReplays += journal.bulkReplays.length;
  totals.deletedCustomers += journal.closings.size;
  totals.outages += journal.outages;
  totals.powerCuts += journal.powerCuts;
  for (const { delivery } of table.deliveries) {
    totals.deliveries += 1;
    totals.interrupted += delivery.log.filter(({ outcome }) => outcome === 'interrupted').length;
  }
  for (const kind of journal.faults) totals.faults.set(kind, (totals.faults.get(kind) ?? 0) + 1);
}

/** The report of a failure: the command that reproduces it, the broken promises, the script and its trace. */
export function describeFailure({ seed, runs, script, violations, trace }: Failure): string {
  return [
    `A promise was broken. Reproduce it with: npm run simulate -- --runs ${runs} --seed ${seed}`,
    ...violations.map(({ promise, detail }) => `  ${promise}: ${detail}`),
    `Script: ${JSON.stringify(script)}`,
    ...trace.map((line) => `  ${line}`),
  ].join('\n');
}

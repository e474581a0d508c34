import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { hour } from '../support/values/builders.ts';
import { runScript } from './run-script.ts';
import { gatheringScripts, keyedScripts, scripts } from './scripts.ts';
import type { WorldOptions } from './world/consumer.ts';
import type { Violation } from './world/journal.ts';
import type { Script } from './world/script.ts';
import { startOfWorld, type World } from './world/world.ts';

/** Counts over all runs. */
export type Totals = { runs: number; readonly counts: Map<string, number> };

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
export const runsPerSeed = 1000;

/**
 * Plays the requested number of runs, and stops at the first that breaks a promise.
 *
 * @param onSeed called after each seed with the totals so far
 */
export async function simulate(given: {
  readonly runs: number;
  readonly seed: number;
  /** The distance to the next seed; 1 by default. */
  readonly every?: number;
  readonly onSeed?: (totals: Totals) => void;
  readonly options?: () => WorldOptions;
  /** What is played with every seed: stories of all kinds by default. */
  readonly stories?: fc.Arbitrary<Script>;
}): Promise<{ readonly totals: Totals; readonly failure: Failure | null }> {
  const { options = () => ({}), onSeed = () => {}, every = 1, stories } = given;
  const totals: Totals = { runs: 0, counts: new Map() };
  for (let seed = given.seed; totals.runs < given.runs; seed += every) {
    const runs = Math.min(runsPerSeed, given.runs - totals.runs);
    const script = await playSeed(stories ?? storiesOf(seed), seed, runs, options, totals);
    if (script !== null) return { totals, failure: { seed, runs, script, ...(await explain(script, options())) } };
    onSeed(totals);
  }
  return { totals, failure: null };
}

/** One seed in five plays clients that send keys, and one sends the events of endpoints to others. */
const storiesOf = (seed: number): fc.Arbitrary<Script> =>
  seed % 5 === 0 ? keyedScripts : seed % 5 === 2 ? gatheringScripts : scripts;

/** @returns the smallest script that breaks a promise, if any does */
async function playSeed(
  stories: fc.Arbitrary<Script>,
  seed: number,
  numRuns: number,
  options: () => WorldOptions,
  totals: Totals,
): Promise<Script | null> {
  let hasFailed = false;
  const property = fc.asyncProperty(stories, async (script) => {
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

async function explain(script: Script, options: WorldOptions): Promise<Pick<Failure, 'violations' | 'trace'>> {
  const lines: string[] = [];
  const trace = (time: number, line: string) => void lines.push(`${clockTime(time)}  ${line}`);
  const { violations } = (await runScript(script, { ...options, trace })).journal;
  return { violations, trace: lines };
}

/** As `hours:minutes:seconds.milliseconds` since the run began. */
function clockTime(time: number): string {
  const passed = time - startOfWorld;
  const hours = Math.floor(passed / hour);
  const rest = new Date(passed % hour).toISOString().slice(14, 23);
  return `${hours}:${rest}`;
}

function count(totals: Totals, { journal, table }: World): void {
  const deliveries = [...table.deliveries].map(({ delivery }) => delivery);
  const attempts = journal.claims.map(({ invocation }) => invocation?.name);
  const log = deliveries.flatMap((delivery) => delivery.log);
  const add = (what: string, number = 1): void => {
    totals.counts.set(what, (totals.counts.get(what) ?? 0) + number);
  };
  totals.runs += 1;
  add('deliveries', deliveries.length);
  add('posts', journal.posts.length);
  add('attempts', attempts.length);
  add('attempts in the slow lane', attempts.filter((name) => name === 'deliverSlow').length);
  add('interrupted attempts', log.filter(({ outcome }) => outcome === 'interrupted').length);
  add('replays', journal.replays.length);
  add('bulk replays', journal.bulkReplays.length);
  add('deleted customers', journal.closings.size);
  add('outages', journal.outages);
  add('power cuts', journal.powerCuts);
  add('faults', journal.faults.length);
  for (const kind of journal.faults) add(`fault: ${kind}`);
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

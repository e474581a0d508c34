import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hour } from '../support/values/builders.ts';
import { playBurst } from './bursts.ts';
import { allMutants } from './mutants/all-mutants.ts';
import { runScript } from './run-script.ts';
import {
  deletedScripts,
  gatheringScripts,
  keyedScripts,
  overlappingScripts,
  replayedScripts,
  scripts,
} from './scripts.ts';
import { describeFailure, simulate } from './simulate.ts';
import type { Script } from './world/script.ts';

it('the service keeps every promise in 200 runs that are the same every time', async () => {
  const { totals, failure } = await simulate({ runs: 200, seed: 1 });

  expect(failure === null ? '' : describeFailure(failure)).toBe('');
  expect(totals.runs).toBe(200);
});

const seed = Math.floor(Math.random() * 2 ** 31);
it(`the service keeps every promise in 150 runs of the random seed ${seed}`, async () => {
  const { failure } = await simulate({ runs: 150, seed });

  expect(failure === null ? '' : describeFailure(failure)).toBe('');
});

it.each([
  ['in which the outcomes at an endpoint overlap', overlappingScripts],
  ['in which events are replayed again and again', replayedScripts],
  ['in which an endpoint is deleted during a burst', deletedScripts],
  ['in which clients send keys and repeat their requests', keyedScripts],
  ['in which endpoints are sent the events of others', gatheringScripts],
])('the service keeps every promise in 30 runs %s', async (_, stories) => {
  const { failure } = await simulate({ runs: 30, seed: 1, stories });

  expect(failure === null ? '' : describeFailure(failure)).toBe('');
});

it('the simulator plays the same script the same way', async () => {
  for (const script of fc.sample(scripts, { numRuns: 20, seed: 8 })) {
    const [one, other]: [string[], string[]] = [[], []];
    await runScript(script, { trace: (time, line) => void one.push(`${time} ${line}`) });
    await runScript(script, { trace: (time, line) => void other.push(`${time} ${line}`) });

    expect(other).toEqual(one);
  }
});

it('the simulator reproduces a failure by the seed that it prints, and shrinks its script', async () => {
  const mistake = allMutants.find(({ name }) => name === 'late acknowledgement counted');
  const options = () => mistake?.options() ?? {};
  const { failure } = await simulate({ runs: 2_000, seed: 8, options });
  if (failure === null) throw new Error('The mistake was not seen');

  const again = await simulate({ runs: failure.runs, seed: failure.seed, options });

  expect(again.failure).toEqual(failure);
  expect(failure.script.actions.length).toBeLessThan(4);
  expect(describeFailure(failure)).toContain(`--runs ${failure.runs} --seed ${failure.seed}`);
  expect(failure.trace.join('\n')).toContain('update DLV');
});

/** Runs that once broke a promise, as they were printed. Never to be changed, and never to fail again. */
type Regression = { readonly mistake: string; readonly broke: string; readonly script: Script };

const folder = new URL('./regressions/', import.meta.url);

const regressions = readdirSync(folder).map(
  (name): Regression => JSON.parse(readFileSync(new URL(name, folder), 'utf8')),
);

it.each(regressions)('the service no longer makes the mistake: $mistake', async ({ script }) => {
  const { journal } = await runScript(script);

  expect(journal.violations).toEqual([]);
});

/** The gate plays the first of the seeds. */
const ofAll = (seeds: readonly number[], inGate: number) =>
  process.env.LONG_TESTS === '1' ? seeds : seeds.slice(0, inGate);

it.each(ofAll([1, 2, 3, 4, 5, 6], 3))(
  'a receiver that answers one request a second gets 50 events at once without being worked for nothing (%i)',
  async (seed) => {
    const { delivered, worked } = await playBurst({ events: 50, answersIn: 1_000, seed });

    expect(delivered).toBe(50);
    expect(worked / 50).toBeLessThanOrEqual(1.3);
  },
);

/** A burst of this length ends well or less well by chance, so several are looked at together. */
const burstSeeds = ofAll([1, 2, 3, 4, 5, 6, 7, 8], 2);

it('a receiver that answers two requests a second gets 500 events at once, most with their first attempt', async () => {
  const played = await Promise.all(burstSeeds.map((seed) => playBurst({ events: 500, answersIn: 500, seed })));
  const mean = (of: readonly number[]) => of.reduce((sum, each) => sum + each, 0) / of.length;

  expect(played.map(({ delivered }) => delivered)).toEqual(burstSeeds.map(() => 500));
  expect(mean(played.map(({ atOnce }) => atOnce))).toBeGreaterThan(425);
  expect(mean(played.map(({ worked }) => worked / 500))).toBeLessThanOrEqual(1.3);
});

it.each([5_000, 8_000])(
  'a receiver that answers one request at a time, in %i ms, gets 160 events at once, most with their first attempt',
  async (answersIn) => {
    const { atOnce, failed, worked } = await playBurst({ events: 160, answersIn });

    expect(atOnce).toBeGreaterThan(100);
    expect(failed).toBeLessThanOrEqual(1);
    expect(worked / 160).toBeLessThanOrEqual(1.5);
  },
);

it('a slow receiver gets what came during an outage of an hour before another hour is over', async () => {
  const { delivered, failed, lastMs } = await playBurst({ events: 300, answersIn: 1_000, outageMs: hour });

  expect([delivered, failed]).toEqual([303, 0]);
  expect(lastMs).toBeLessThan(hour);
});

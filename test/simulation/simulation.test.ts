import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
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

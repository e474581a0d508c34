import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { allMutants } from './mutants/all-mutants.ts';
import type { Mutant } from './mutants/mutant.ts';
import { runScript } from './run-script.ts';
import { scripts } from './scripts.ts';

/** A mutant that survives this number of runs counts as undetected. */
const mostRuns = 10_000;
const firstSeed = 7;
const atOnce = 100;

/**
 * Mutants that hundreds of runs do not detect, with the seed of a batch that does. A search begins there, and goes
 * through all `mostRuns` runs if the simulator has changed since.
 */
const knownSeeds: Readonly<Record<string, number>> = {
  'age of a read by the time of day': 41_907,
  'attempt claimed without enough time': 1607,
  'audit that forgets deleted endpoints': 4007,
  'cache of a deleted endpoint': 707,
  'deletion answered without the wait': 807,
  'endpoint read only before the connection': 3007,
  'event serialised again for each endpoint': 1807,
  'expired secret still signs': 207,
  'mark cleared at once': 6607,
  'mark that puts an earlier secret back': 307,
  'mark written over a deletion': 907,
  'message deleted before its copy is sent': 807,
  'replay without a place in the waiting index': 1207,
  'retry counted from the sweep': 10_007,
  'rotation answered without the wait': 4107,
  'sweep without a condition': 9007,
  'tombstone copied from an earlier read': 1807,
};

type Found = { readonly name: string; readonly runs: number; readonly promise: string };

const table: Found[] = [];

/** Searches for a run in which the mutant breaks one of its promises. */
async function huntDown({ name, breaks, options }: Mutant): Promise<Found | null> {
  const seed = knownSeeds[name] ?? firstSeed;
  for (let runs = 0; runs < mostRuns; runs += atOnce) {
    const batch = fc.sample(scripts, { numRuns: atOnce, seed: seed + runs });
    for (const [index, script] of batch.entries()) {
      const { violations } = (await runScript(script, options())).journal;
      const found = violations.find(({ promise }) => breaks.includes(promise));
      if (found !== undefined) return { name, runs: runs + index + 1, promise: found.promise };
    }
  }
  return null;
}

describe('the simulator against mutants', () => {
  it.each(allMutants)('the simulator detects the mutant: $name', { timeout: 900_000 }, async (mutant) => {
    const found = await huntDown(mutant);

    expect(found).not.toBeNull();
    if (found !== null) table.push(found);
  });

  afterAll(() => {
    const lines = table.map(
      ({ name, runs, promise }) => `${name.padEnd(48)} ${String(runs).padStart(5)}  ${promise}`,
    );
    process.stdout.write(
      `\n${'mutant'.padEnd(48)} ${' runs'}  broken promise\n${lines.join('\n')}\n${table.length} of ${allMutants.length} mutants found\n`,
    );
  });
});

describe('knownSeeds', () => {
  it('names mutants that exist', () => {
    const names = allMutants.map(({ name }) => name);

    expect(Object.keys(knownSeeds).filter((name) => !names.includes(name))).toEqual([]);
  });
});

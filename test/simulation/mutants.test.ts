import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import type { Mutant } from './mutants/mutant.ts';
import { replaceable, tableFiles } from './mutants/replaced-functions.ts';

for (const file of tableFiles) vi.doMock(file, replaceable);
const { allMutants } = await import('./mutants/all-mutants.ts');
const { runScript } = await import('./run-script.ts');

/** A mutant that survives this number of runs counts as undetected. */
const mostRuns = 10_000;
const firstSeed = 7;
const atOnce = 100;

/**
 * Mutants that hundreds of runs do not detect, with the seed of a batch that does. A search begins there, and goes
 * through all `mostRuns` runs if the simulator has changed since.
 */
const knownSeeds: Readonly<Record<string, number>> = {
  'activation of a deleted endpoint': 107,
  'age of a read by the time of day': 528_507,
  'attempt claimed without enough time': 9507,
  'audit that forgets deleted endpoints': 607,
  'audit that only counts': 307,
  'cache of a deleted endpoint': 1107,
  'cancelled job that goes on': 207,
  'claim kept after a failed read': 307,
  'connections that outlive their customer': 18_107,
  'customer that is not closed': 907,
  'deletion answered without the wait': 1307,
  'early timer accepted': 807,
  'end of a link ignored': 4207,
  'end of a replay not counted again': 1507,
  'endpoint read only before the connection': 1707,
  'endpoints kept until the rows are erased': 207,
  'event serialised again for each endpoint': 4607,
  'expired delivery served': 1807,
  'failing endpoint not marked': 107,
  'failing without an end': 7007,
  'failures in a row not counted': 307,
  'ids of each try': 207,
  'key that is free after every failure': 207,
  'link that ends when it is made': 507,
  'mark cleared at once': 307,
  'mark that puts an earlier secret back': 2607,
  'mark written over a deletion': 1107,
  'message deleted before its copy is sent': 407,
  'notice not stored with the change': 107,
  'notice of the first failure': 107,
  'notice sent before the change': 1807,
  'record without a condition': 307,
  'refusal by the slow queue ignored': 207,
  'replay that was delivered sent again': 207,
  'replay without a place in the waiting index': 407,
  'replays of the last step not counted': 307,
  'request continued as it was read': 107,
  'revoked link accepted': 1507,
  'rotation answered without the wait': 6307,
  'second replay dropped': 107,
  'step written over the end of its job': 3707,
  'sweep without a condition': 4407,
  'time of the last notice forgotten': 107,
  'tombstone copied from an earlier read': 707,
  'transactions without a request token': 2807,
};

/** Searches for a run in which the mutant breaks one of its promises. @returns the promise that it breaks */
async function huntDown({ name, breaks, options, stories }: Mutant): Promise<string | null> {
  const seed = knownSeeds[name] ?? firstSeed;
  for (let runs = 0; runs < mostRuns; runs += atOnce) {
    const batch = fc.sample(stories, { numRuns: atOnce, seed: seed + runs });
    for (const script of batch) {
      const { violations } = (await runScript(script, options())).journal;
      const found = violations.find(({ promise }) => breaks.includes(promise));
      if (found !== undefined) return found.promise;
    }
  }
  return null;
}

it.each(allMutants)('the simulator detects the mutant: $name', async (mutant) => {
  expect(mutant.breaks).toContain(await huntDown(mutant));
});

it('the known seeds are of mutants that exist', () => {
  const names = allMutants.map(({ name }) => name);

  expect(Object.keys(knownSeeds).filter((name) => !names.includes(name))).toEqual([]);
});

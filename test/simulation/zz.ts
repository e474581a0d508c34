import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { allMutants } from './mutants/all-mutants.ts';
import { runScript } from './run-script.ts';
const text = readFileSync(new URL('./mutants.test.ts', import.meta.url), 'utf8');
const seeds = new Map([...text.matchAll(/^  '(.+)': ([\d_]+),$/gm)].map(([, n = '', s = '']) => [n, Number(s.replace('_', ''))]));
for (const m of allMutants) {
  const begun = Date.now();
  let found = -1;
  const seed = seeds.get(m.name) ?? 7;
  out: for (let runs = 0; runs < 500; runs += 100)
    for (const script of fc.sample(m.stories, { numRuns: 100, seed: seed + runs })) {
      const { violations } = (await runScript(script, m.options())).journal;
      if (violations.some(({ promise }) => m.breaks.includes(promise))) { found = seed + runs; break out; }
    }
  if (found !== seed) console.log(m.name, seeds.has(m.name), seed, found, Date.now() - begun);
}
console.log('done');

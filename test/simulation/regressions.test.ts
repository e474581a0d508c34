import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runScript } from './run-script.ts';
import type { Script } from './world/script.ts';

/** Runs that once broke a promise, as they were printed. Never to be changed, and never to fail again. */
type Regression = { readonly mistake: string; readonly broke: string; readonly script: Script };

const folder = new URL('./regressions/', import.meta.url);

const regressions = readdirSync(folder).map(
  (name): Regression => JSON.parse(readFileSync(new URL(name, folder), 'utf8')),
);

describe('runs that once broke a promise', () => {
  it.each(regressions)('the service no longer makes the mistake: $mistake', async ({ script }) => {
    const { journal } = await runScript(script);

    expect(journal.violations).toEqual([]);
  });
});

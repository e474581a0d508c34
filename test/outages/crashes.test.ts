import { randomInt } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { planKills, playCrashes } from './play-crashes.ts';

const parts = new AsyncDisposableStack();
afterEach(() => parts.disposeAsync());

const seed = randomInt(1_000_000);

it(`a stack that is killed repeatedly under load breaks no promise (seed ${seed})`, async () => {
  const notes: string[] = [];
  const note = (line: string) => void notes.push(line);

  const { broken, counts } = await playCrashes({ kills: 3, seed, note, parts });

  expect(broken).toEqual([]);
  expect(counts.delivered).toBeGreaterThan(0);
  expect(counts.failed).toBeGreaterThan(0);
  const killed = planKills(3, seed).map(({ after, ms }) => expect.stringContaining(`${ms} ms after its ${after};`));
  expect(notes.filter((line) => line.startsWith('kill '))).toEqual(killed);
});

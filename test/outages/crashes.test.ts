import { randomInt } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { closeAll } from './close-all.ts';
import { playCrashes } from './play-crashes.ts';
import { leastPatienceMs } from './queues.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(() => closeAll(closers));

const seed = randomInt(1_000_000);
const options = { kills: 3, seed, patienceMs: leastPatienceMs, note: () => {}, closers };

describe('a stack that is killed again and again under load', () => {
  it(`breaks no promise (seed ${seed})`, async () => {
    const { broken, counts } = await playCrashes(options);

    expect(broken).toEqual([]);
    expect(counts.delivered).toBeGreaterThan(0);
    expect(counts.failed).toBeGreaterThan(0);
  });
});

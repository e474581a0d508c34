import { expect, it } from 'vitest';
import { hour } from '../support/values/builders.ts';
import { playBurst } from './bursts.ts';

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
const seeds = ofAll([1, 2, 3, 4, 5, 6, 7, 8], 2);

it('a receiver that answers two requests a second gets 500 events at once, most with their first attempt', async () => {
  const played = await Promise.all(seeds.map((seed) => playBurst({ events: 500, answersIn: 500, seed })));
  const mean = (of: readonly number[]) => of.reduce((sum, each) => sum + each, 0) / of.length;

  expect(played.map(({ delivered }) => delivered)).toEqual(seeds.map(() => 500));
  expect(mean(played.map(({ atOnce }) => atOnce))).toBeGreaterThan(425);
  expect(mean(played.map(({ worked }) => worked / 500))).toBeLessThanOrEqual(1.3);
});

it('a slow receiver gets what came during an outage of an hour before another hour is over', async () => {
  const { delivered, failed, lastMs } = await playBurst({ events: 300, answersIn: 1_000, outageMs: hour });

  expect([delivered, failed]).toEqual([303, 0]);
  expect(lastMs).toBeLessThan(hour);
});

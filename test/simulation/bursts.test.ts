import { expect, it } from 'vitest';
import { playBurst } from './bursts.ts';

it.each([1, 2, 3, 4, 5, 6])(
  'a receiver that answers one request a second gets 50 events at once without being worked for nothing (%i)',
  async (seed) => {
    const { delivered, worked } = await playBurst({ events: 50, answersIn: 1_000, seed });

    expect(delivered).toBe(50);
    expect(worked / 50).toBeLessThanOrEqual(1.3);
  },
);

it('a receiver that answers two requests a second gets 500 events at once, all with their first attempt', async () => {
  const { delivered, atOnce, worked } = await playBurst({ events: 500, answersIn: 500 });

  expect(delivered).toBe(500);
  expect(atOnce).toBeGreaterThan(450);
  expect(worked / 500).toBeLessThanOrEqual(1.3);
});

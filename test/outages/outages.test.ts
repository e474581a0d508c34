import { afterEach, expect, it } from 'vitest';
import { outages } from './outages.ts';
import { playOutages } from './play-outages.ts';

const parts = new AsyncDisposableStack();
afterEach(() => parts.disposeAsync());

it(`outages under load break no promise: ${outages.map(({ service }) => service).join(', ')}`, async () => {
  // Long enough that requests meet every kind of fault; the outages of `npm run outages` are longer.
  const ending = await playOutages(outages, { seconds: 4, margin: 1, note: () => {}, parts });

  expect(ending.broken).toEqual([]);
  expect(ending.counts.delivered).toBeGreaterThan(0);
  expect(ending.counts.failed).toBeGreaterThan(0);
});

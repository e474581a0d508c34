import { afterEach, describe, expect, it } from 'vitest';
import { outages } from './outages.ts';
import { playOutages } from './play-outages.ts';
import { leastPatienceMs } from './queues.ts';

const parts = new AsyncDisposableStack();
afterEach(() => parts.disposeAsync());

/** Long enough that requests meet every kind of fault; the outages of `npm run outages` are longer. */
const short = { seconds: 4, margin: 1, patienceMs: leastPatienceMs, note: () => {}, parts };

describe('outages under load', () => {
  it(`outages under load break no promise: ${outages.map(({ service }) => service).join(', ')}`, async () => {
    const { broken, counts } = await playOutages(outages, short);

    expect(broken).toEqual([]);
    expect(counts.delivered).toBeGreaterThan(0);
    expect(counts.failed).toBeGreaterThan(0);
  });
});

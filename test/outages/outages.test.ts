import { afterEach, describe, expect, it } from 'vitest';
import { outages } from './outages.ts';
import { playOutages } from './play-outages.ts';
import { leastPatienceMs } from './queues.ts';

const parts = new AsyncDisposableStack();
afterEach(() => parts.disposeAsync());

/** As long as it takes for requests to meet every kind of fault; `npm run outages` stays away for longer. */
const short = { seconds: 4, margin: 1, patienceMs: leastPatienceMs, note: () => {}, parts };

describe('outages under load', () => {
  it(`break no promise: ${outages.map(({ service }) => service).join(', ')}`, async () => {
    const { broken, counts } = await playOutages(outages, short);

    expect(broken).toEqual([]);
    expect(counts.delivered).toBeGreaterThan(0);
    expect(counts.failed).toBeGreaterThan(0);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { closeAll } from './close-all.ts';
import { outages } from './outages.ts';
import { playOutages } from './play-outages.ts';
import { leastPatienceMs } from './queues.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(() => closeAll(closers));

/** As long as it takes for requests to meet every kind of fault; `npm run outages` stays away for longer. */
const short = { seconds: 4, margin: 1, patienceMs: leastPatienceMs, note: () => {}, closers };

describe('outages under load', () => {
  it(`break no promise: ${outages.map(({ service }) => service).join(', ')}`, async () => {
    const { broken, counts } = await playOutages(outages, short);

    expect(broken).toEqual([]);
    expect(counts.delivered).toBeGreaterThan(0);
    expect(counts.failed).toBeGreaterThan(0);
  });
});

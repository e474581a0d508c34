import { describe, expect, it } from 'vitest';
import { limitRequests } from '../../../shared/auth/rate-limit.ts';
import {
  type CountedRequest,
  type RateWindow,
  rateLimit,
  rateWindowMs,
} from '../../../shared/domain/rate-window.ts';
import { startOfTest } from '../../support/builders.ts';

/** The window of a credential all of whose requests came at one time. */
const fullSince = (time: number): RateWindow => ({
  previous: Array<number>(rateLimit).fill(0),
  current: Array<number>(rateLimit).fill(time),
});

/** A limit over windows that answer every request alike, and the requests that they were asked for. */
function limitOver(answered: { readonly admitted: boolean; readonly window: RateWindow }) {
  const asked: CountedRequest[] = [];
  let drawn = 0;
  const limit = limitRequests({
    now: () => startOfTest,
    randomBytes: (size) => {
      drawn += 1;
      return new Uint8Array(size).fill(drawn);
    },
    admitRequest: async (request) => {
      asked.push(request);
      return answered;
    },
  });
  return { asked, limit };
}

const refused = { admitted: false, window: fullSince(startOfTest) };

describe('limitRequests()', () => {
  it('gives every request a mark of nine random bytes', async () => {
    const { asked, limit } = limitOver({ admitted: true, window: { previous: [], current: [startOfTest] } });

    await limit('aky_1');
    await limit('aky_1');

    expect(asked).toEqual([
      { credentialId: 'aky_1', now: startOfTest, mark: 'AQEBAQEBAQEB' },
      { credentialId: 'aky_1', now: startOfTest, mark: 'AgICAgICAgIC' },
    ]);
  });

  it('remembers 10,000 credentials that are at their limit, and forgets the first for one more', async () => {
    const { asked, limit } = limitOver(refused);
    for (let index = 1; index <= 10_000; index += 1) await limit(`aky_${index}`);
    asked.length = 0;

    await limit('aky_1');
    const askedOfTenThousand = asked.map(({ credentialId }) => credentialId);
    await limit('aky_10001');
    await limit('aky_2');
    await limit('aky_1');

    expect(askedOfTenThousand).toEqual([]);
    expect(asked.map(({ credentialId }) => credentialId)).toEqual(['aky_10001', 'aky_1']);
  });

  it.each([
    { wait: 1, seconds: 1 },
    { wait: 1000, seconds: 1 },
    { wait: 1001, seconds: 2 },
    { wait: rateWindowMs, seconds: 60 },
  ])('tells a client to wait $seconds s when the next request is admitted in $wait ms', async (given) => {
    const { limit } = limitOver({
      admitted: false,
      window: fullSince(startOfTest - rateWindowMs + given.wait),
    });

    const { retryAfter, headers } = await limit('aky_1');

    expect(retryAfter).toBe(given.seconds);
    expect(headers.RateLimit).toBe(`"default";r=0;t=${given.seconds}`);
  });

  it('never tells a client to wait for less than a second', async () => {
    const { limit } = limitOver({ admitted: false, window: fullSince(startOfTest - rateWindowMs) });

    expect(await limit('aky_1')).toMatchObject({ admitted: false, retryAfter: 1 });
  });
});

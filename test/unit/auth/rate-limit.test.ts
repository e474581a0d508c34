import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitRequests } from '#shared/auth/rate-limit.ts';
import { type CountedRequest, type RateWindow, rateLimit, rateWindowMs } from '#shared/domain/rate-window.ts';
import { startOfTest } from '../../support/values/builders.ts';

/** The window of a credential whose requests all came at one time. */
const fullSince = (time: number): RateWindow => ({
  previous: Array<number>(rateLimit).fill(0),
  current: Array<number>(rateLimit).fill(time),
});

/** A limit over a window with a fixed result, and the requests that it counted. */
function limitOver(
  answered: { readonly admitted: boolean; readonly window: RateWindow },
  now: () => number = () => startOfTest,
) {
  const asked: CountedRequest[] = [];
  let drawn = 0;
  const limit = limitRequests({
    now,
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
  it('marks every request with nine random bytes, and tells what remains', async () => {
    const { asked, limit } = limitOver({ admitted: true, window: { previous: [], current: [startOfTest] } });

    await limit('aky_1');
    const { headers } = await limit('aky_1');

    expect(headers.RateLimit).toBe('"default";r=59;t=60');
    expect(asked).toEqual([
      { credentialId: 'aky_1', now: startOfTest, mark: 'AQEBAQEBAQEB' },
      { credentialId: 'aky_1', now: startOfTest, mark: 'AgICAgICAgIC' },
    ]);
  });

  it('does not count a request that came a minute ago, to the millisecond', async () => {
    const minuteAgo = startOfTest - rateWindowMs;
    const { limit } = limitOver({ admitted: true, window: { previous: [], current: [minuteAgo, minuteAgo + 1] } });

    expect((await limit('aky_1')).headers.RateLimit).toBe('"default";r=59;t=1');
  });

  it('remembers 10,000 credentials at their limit, and drops the oldest for the next one', async () => {
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

  it('refuses from memory until the millisecond in which the next request is admitted', async () => {
    let now = startOfTest;
    const { asked, limit } = limitOver(refused, () => now);

    await limit('aky_1');
    now = startOfTest + rateWindowMs - 1;
    await limit('aky_1');
    now = startOfTest + rateWindowMs;
    await limit('aky_1');

    expect(asked.map((request) => request.now - startOfTest)).toEqual([0, rateWindowMs]);
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
    expect(headers).toEqual({
      'RateLimit-Policy': '"default";q=60;w=60',
      RateLimit: `"default";r=0;t=${given.seconds}`,
    });
  });
});

/** Instances whose clocks differ by seconds from the test's clock, and one whose clock is wrong by hours. */
const offset = fc.oneof(fc.integer({ min: -5_000, max: 5_000 }), fc.integer({ min: -9e6, max: 9e6 }));

/** Windows that such instances write: times may be out of order and in the future. */
const skewedWindow = fc
  .record({
    ages: fc.array(fc.integer({ min: 0, max: rateWindowMs + 1_000 }), { maxLength: 2 * rateLimit + 1 }),
    offsets: fc.array(offset, { minLength: 1, maxLength: 4 }),
    split: fc.nat({ max: rateLimit + 1 }),
  })
  .map(({ ages, offsets, split }): RateWindow => {
    const times = ages.map((age, index) => startOfTest - age + (offsets[index % offsets.length] ?? 0));
    return { previous: times.slice(0, split), current: times.slice(split) };
  });

const toldBy = (header = '') => Object.fromEntries(new URLSearchParams(header.replaceAll(';', '&')));

it('a client waits from 1 to 60 seconds, and never sees more remaining requests than the limit, while clocks differ', async () => {
  const told = fc.asyncProperty(skewedWindow, fc.boolean(), async (window, admitted) => {
    const { limit } = limitOver({ admitted, window });

    // The second result for a refused credential comes from memory.
    for (const { retryAfter, headers } of [await limit('aky_1'), await limit('aky_1')]) {
      const { r, t } = toldBy(headers.RateLimit);
      expect(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= 60).toBe(true);
      expect(Number.isInteger(Number(t)) && Number(t) >= 0 && Number(t) <= 60).toBe(true);
      expect(Number(r)).toBeGreaterThanOrEqual(0);
      expect(Number(r)).toBeLessThanOrEqual(admitted ? rateLimit : 0);
    }
  });

  await fc.assert(told);
});

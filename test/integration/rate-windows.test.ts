import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitRequests } from '../../shared/auth/rate-limit.ts';
import { admitRequest } from '../../shared/aws/table/rate-windows.ts';
import { rateLimit, rateWindowMs } from '../../shared/domain/rate-window.ts';
import { at } from '../support/aws-records.ts';
import { useTable } from '../support/table.ts';

const { current } = useTable();

/** The most requests that were admitted in any span of the window's length. */
function mostInAWindow(admittedAt: readonly number[]): number {
  return Math.max(
    0,
    ...admittedAt.map(
      (start) => admittedAt.filter((time) => time >= start && time < start + rateWindowMs).length,
    ),
  );
}

/** Sends requests one after the other at the given times. @returns the times of those that were admitted */
async function admittedOf(credentialId: string, times: readonly number[]): Promise<readonly number[]> {
  const admit = admitRequest(current());
  const admitted: number[] = [];
  for (const time of times) {
    if ((await admit(credentialId, time)).admitted) admitted.push(time);
  }
  return admitted;
}

describe('admitRequest()', () => {
  it('admits exactly the limit of requests that come at once, and the next when the first has left', async () => {
    const admit = admitRequest(current());

    const answers = await Promise.all(Array.from({ length: rateLimit + 1 }, () => admit('aky_burst', at)));
    const early = await admit('aky_burst', at + rateWindowMs - 1);
    const later = await admit('aky_burst', at + rateWindowMs);

    expect(answers.filter(({ admitted }) => admitted)).toHaveLength(rateLimit);
    expect(early.admitted).toBe(false);
    expect(later.admitted).toBe(true);
  });

  it('never admits more than the limit in any window, however requests arrive', async () => {
    const gaps = fc.array(
      fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 20_000 })),
      {
        minLength: 150,
        maxLength: 200,
      },
    );
    let run = 0;

    await fc.assert(
      fc.asyncProperty(gaps, async (waits) => {
        let now = at;
        const times = waits.map((wait) => {
          now += wait;
          return now;
        });
        run += 1;

        const admitted = await admittedOf(`aky_${run}`, times);

        expect(mostInAWindow(admitted)).toBeLessThanOrEqual(rateLimit);
        const refused = times.filter((time) => !admitted.includes(time));
        for (const time of refused) {
          const inside = admitted.filter((before) => before > time - rateWindowMs && before <= time);
          expect(inside, 'a request is refused only at the limit').toHaveLength(rateLimit);
        }
      }),
      { numRuns: 8 },
    );
  });

  it('takes one write unit for a request, whether the window is empty or full', async () => {
    await admittedOf(
      'aky_cost',
      Array.from({ length: 2 * rateLimit }, (_, index) => at + index * 1100),
    );
    current().takeWriteUnits();

    await admitRequest(current())('aky_cost', at + 2 * rateLimit * 1100 + 10_000);

    // The request that begins a new list: its first try is refused, which the emulator does not charge.
    expect(current().takeWriteUnits()).toBe(1);
    await admitRequest(current())('aky_cost', at + 2 * rateLimit * 1100 + 11_000);
    expect(current().takeWriteUnits()).toBe(1);
  });
});

describe('limitRequests()', () => {
  it('refuses without a write while the credential is known to be at its limit', async () => {
    let now = at;
    let writes = 0;
    const admit = admitRequest(current());
    const limit = limitRequests({
      now: () => now,
      admitRequest: (credentialId, time) => {
        writes += 1;
        return admit(credentialId, time);
      },
    });
    for (let index = 0; index < rateLimit; index += 1) await limit('aky_busy');

    const refused = await limit('aky_busy');
    const writesAtTheLimit = writes;
    for (let index = 0; index < 100; index += 1) await limit('aky_busy');
    const writesAfterwards = writes;
    now = at + refused.retryAfter * 1000;
    const next = await limit('aky_busy');

    expect(refused).toMatchObject({ admitted: false, retryAfter: 60 });
    expect(refused.headers).toEqual({
      'RateLimit-Policy': '"default";q=60;w=60',
      RateLimit: '"default";r=0;t=60',
    });
    expect(writesAfterwards).toBe(writesAtTheLimit);
    expect(next.admitted).toBe(true);
  });

  it('tells what remains on every answer', async () => {
    const limit = limitRequests({ now: () => at, admitRequest: admitRequest(current()) });

    await limit('aky_quiet');
    const second = await limit('aky_quiet');

    expect(second.headers.RateLimit).toBe('"default";r=58;t=60');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Table } from '#shared/aws/clients.ts';
import { admitRequest } from '#shared/aws/table/credentials/rate-windows.ts';
import { rateWindowKey } from '#shared/aws/table/keys.ts';
import { rateLimit, rateState, rateWindowMs } from '#shared/domain/rate-window.ts';
import { losingTable } from '../support/aws/losing-table.ts';
import { useTable } from '../support/aws/table.ts';
import { hour, startOfTest } from '../support/values/builders.ts';

const { current } = useTable();

let marks = 0;

/** Admits requests that nothing tells apart but the mark that each has. */
function admitting(table: Table = current()) {
  return (credentialId: string, now: number) => {
    marks += 1;
    return admitRequest(table, { credentialId, now, mark: String(marks).padStart(12, '0') });
  };
}

/** The most requests that were admitted in any span of the window's length. */
function mostInAWindow(admittedAt: readonly number[]): number {
  return Math.max(
    0,
    ...admittedAt.map((start) => admittedAt.filter((time) => time >= start && time < start + rateWindowMs).length),
  );
}

/** Sends requests one after the other at the given times. @returns the times of those that were admitted */
async function admittedOf(credentialId: string, times: readonly number[]): Promise<readonly number[]> {
  const admit = admitting();
  const admitted: number[] = [];
  for (const time of times) {
    if ((await admit(credentialId, time)).admitted) admitted.push(time);
  }
  return admitted;
}

describe('admitRequest()', () => {
  it('admitRequest() admits exactly the limit of requests that come at once, and the next when the first has left', async () => {
    const admit = admitting();

    const answers = await Promise.all(Array.from({ length: rateLimit + 1 }, () => admit('aky_burst', startOfTest)));
    const early = await admit('aky_burst', startOfTest + rateWindowMs - 1);
    const later = await admit('aky_burst', startOfTest + rateWindowMs);

    expect(answers.filter(({ admitted }) => admitted)).toHaveLength(rateLimit);
    expect(early.admitted).toBe(false);
    expect(later.admitted).toBe(true);
    const { expires_at } = await current().readItem(rateWindowKey('aky_burst'));
    expect(expires_at).toBe(Math.floor((startOfTest + rateWindowMs + hour) / 1_000));
  });

  it('admitRequest() never admits more than the limit in any window, however requests arrive', async () => {
    const gap = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 20_000 }));
    const gaps = fc.array(gap, { minLength: 120, maxLength: 150 });
    let run = 0;

    await fc.assert(
      fc.asyncProperty(gaps, async (waits) => {
        let now = startOfTest;
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
      { numRuns: 2 },
    );
  });

  it.each([
    { place: 'the first of all', before: 0, time: startOfTest },
    { place: 'one of a list', before: 1, time: startOfTest },
    { place: 'the last in the window', before: rateLimit - 1, time: startOfTest },
    { place: 'the first of a new list', before: rateLimit, time: startOfTest + rateWindowMs },
  ])('admitRequest() admits a request once whose answer was lost: $place', async ({ before, time }) => {
    await admittedOf('aky_lost', Array<number>(before).fill(startOfTest));
    const { table, lost } = losingTable(current(), 'UpdateItem');
    const remaining = rateLimit - (before % rateLimit) - 1;

    const { admitted, window } = await admitting(table)('aky_lost', time);
    const next = await admitting()('aky_lost', time);

    expect(lost()).toBe(1);
    expect(admitted).toBe(true);
    expect(rateState(window, time).remaining).toBe(remaining);
    expect(next.admitted).toBe(remaining > 0);
    expect(rateState(next.window, time).remaining).toBe(Math.max(0, remaining - 1));
  });
});

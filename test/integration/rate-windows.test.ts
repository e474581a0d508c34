import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitRequests } from '#shared/auth/rate-limit.ts';
import type { Table } from '#shared/aws/clients.ts';
import { rateWindowKey } from '#shared/aws/table/keys.ts';
import { admitRequest } from '#shared/aws/table/rate-windows.ts';
import { partitions } from '#shared/contract/table-schema.ts';
import { makeId } from '#shared/domain/ids.ts';
import { rateLimit, rateState, rateWindowMs } from '#shared/domain/rate-window.ts';
import { losingTable } from '../support/aws/losing-table.ts';
import { useTable } from '../support/aws/table.ts';
import { itemSize } from '../support/aws/table-item-size.ts';
import { startOfTest } from '../support/values/builders.ts';

const { current } = useTable();

let marks = 0;

/** Admits requests that nothing tells apart but the mark that each has. */
function admitting(table: Table = current()) {
  const admit = admitRequest(table);
  return (credentialId: string, now: number) => {
    marks += 1;
    return admit({ credentialId, now, mark: String(marks).padStart(12, '0') });
  };
}

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
  const admit = admitting();
  const admitted: number[] = [];
  for (const time of times) {
    if ((await admit(credentialId, time)).admitted) admitted.push(time);
  }
  return admitted;
}

describe('admitRequest()', () => {
  it('admits exactly the limit of requests that come at once, and the next when the first has left', async () => {
    const admit = admitting();

    const answers = await Promise.all(
      Array.from({ length: rateLimit + 1 }, () => admit('aky_burst', startOfTest)),
    );
    const early = await admit('aky_burst', startOfTest + rateWindowMs - 1);
    const later = await admit('aky_burst', startOfTest + rateWindowMs);

    expect(answers.filter(({ admitted }) => admitted)).toHaveLength(rateLimit);
    expect(early.admitted).toBe(false);
    expect(later.admitted).toBe(true);
  });

  // Hundreds of requests each: every one of the eight has the time limit for itself.
  it('never admits more than the limit in any window, however requests arrive', { repeats: 7 }, async () => {
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
      { numRuns: 1 },
    );
  });

  it.each([
    { place: 'the first of all', before: 0, time: startOfTest },
    { place: 'one of a list', before: 1, time: startOfTest },
    { place: 'the last in the window', before: rateLimit - 1, time: startOfTest },
    { place: 'the first of a new list', before: rateLimit, time: startOfTest + rateWindowMs },
  ])('admits a request once whose answer was lost: $place', async ({ before, time }) => {
    await admittedOf('aky_lost', Array<number>(before).fill(startOfTest));
    const { table, lost } = await losingTable(current(), 'UpdateItem');
    const remaining = rateLimit - (before % rateLimit) - 1;

    const { admitted, window } = await admitting(table)('aky_lost', time);
    const next = await admitting()('aky_lost', time);

    expect(lost()).toBe(1);
    expect(admitted).toBe(true);
    expect(rateState(window, time).remaining).toBe(remaining);
    expect(next.admitted).toBe(remaining > 0);
    expect(rateState(next.window, time).remaining).toBe(Math.max(0, remaining - 1));
  });

  it('takes one write unit for an admitted request, whatever the window holds', async () => {
    const key = rateWindowKey(makeId('apiKey', startOfTest, randomBytes(10)));
    const credentialId = key.pk.slice(partitions.rateWindow.length);
    const admit = admitting();
    const units: number[] = [];
    const sizes: number[] = [];
    current().takeWriteUnits();

    for (let index = 0; index < 2 * rateLimit + 2; index += 1) {
      // No time ends in zeros, which would take less room. A try that was refused is not charged by the emulator.
      await admit(credentialId, startOfTest + 1 + index * 1010);
      units.push(current().takeWriteUnits());
      const { Item = {} } = await current().client.get({ TableName: current().name, Key: key });
      sizes.push(itemSize(Item));
    }

    expect(units).toEqual(units.map(() => 1));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1024);
  });
});

describe('limitRequests()', () => {
  it('refuses without a write while the credential is known to be at its limit', async () => {
    let now = startOfTest;
    let writes = 0;
    const admit = admitRequest(current());
    const limit = limitRequests({
      now: () => now,
      randomBytes,
      admitRequest: (request) => {
        writes += 1;
        return admit(request);
      },
    });
    for (let index = 0; index < rateLimit; index += 1) await limit('aky_busy');

    const refused = await limit('aky_busy');
    const writesAtTheLimit = writes;
    for (let index = 0; index < 100; index += 1) await limit('aky_busy');
    const writesAfterwards = writes;
    now = startOfTest + refused.retryAfter * 1000;
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
    const limit = limitRequests({
      now: () => startOfTest,
      randomBytes,
      admitRequest: admitRequest(current()),
    });

    await limit('aky_quiet');
    const second = await limit('aky_quiet');

    expect(second.headers.RateLimit).toBe('"default";r=58;t=60');
  });
});

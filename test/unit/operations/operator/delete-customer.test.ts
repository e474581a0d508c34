import { describe, expect, it } from 'vitest';
import type { RowCounts } from '#shared/domain/row-counts.ts';
import { deleteCustomer, type ErasureStep, quietTime } from '#shared/operations/operator/delete-customer.ts';
import { createClock } from '../../../support/operations/deps.ts';
import { customerId, startOfTest } from '../../../support/values/builders.ts';

type Pass = { readonly removed: RowCounts; readonly foundContents: boolean };

const clean: Pass = { removed: {}, foundContents: false };
const found = (rows: number): Pass => ({ removed: { run: rows }, foundContents: true });

/** Each pass takes some time and finds what the test says; the last answer repeats. */
function createWorld(passes: readonly Pass[], closings: readonly RowCounts[] = [{}], passTime = 0) {
  const clock = createClock(startOfTest);
  const calls: string[] = [];
  const steps: ErasureStep[] = [];
  const count = (name: string) => calls.filter((call) => call.startsWith(name)).length;
  const erase = deleteCustomer({
    now: clock.now,
    wait: async (milliseconds) => {
      calls.push(`wait ${milliseconds}`);
      clock.pass(milliseconds);
    },
    closeCustomer: async () => {
      calls.push('close');
      return closings[Math.min(count('close'), closings.length) - 1] ?? {};
    },
    erasePass: async (_, { isLast, onProgress }) => {
      calls.push(isLast ? 'pass, last' : 'pass');
      onProgress(100 * count('pass'), count('pass'));
      clock.pass(passTime);
      return passes[Math.min(count('pass'), passes.length) - 1] ?? clean;
    },
    forgetCustomer: async () => void calls.push('forget'),
    onStep: (step) => void steps.push(step),
  });
  return { calls, steps, erase: () => erase({ id: customerId }) };
}

describe('deleteCustomer()', () => {
  it('removes the listing of the customer last, after a pass that began in the quiet and found nothing', async () => {
    const world = createWorld([found(3), clean]);

    expect(await world.erase()).toEqual({ passes: 2, removed: { run: 3 } });

    expect(world.calls).toEqual(['close', 'pass', `wait ${quietTime}`, 'close', 'pass, last', 'forget']);
    expect(world.steps).toEqual([
      { step: 'closing' },
      { step: 'erasing', pass: 1, read: 100, removed: 1 },
      { step: 'waiting' },
      { step: 'closing' },
      { step: 'closed' },
      { step: 'erasing', pass: 2, read: 200, removed: 2 },
      { step: 'forgetting' },
    ]);
  });

  it('waits only for the rest of the quiet time after a long pass, and not at all after a longer one', async () => {
    const long = createWorld([clean], [{}], quietTime - 1000);
    const longer = createWorld([clean], [{}], quietTime);

    await long.erase();
    await longer.erase();

    expect(long.calls).toContain('wait 1000');
    expect(longer.calls.join()).not.toContain('wait');
  });

  it('makes another pass after one that found a row', async () => {
    const world = createWorld([found(3), found(1), clean]);

    expect(await world.erase()).toEqual({ passes: 3, removed: { run: 4 } });

    expect(world.calls.filter((call) => call.startsWith('wait'))).toHaveLength(2);
  });

  it('makes another pass when an endpoint appeared since the first, which may have received events', async () => {
    const world = createWorld([clean], [{ customer: 2 }, { customer: 1 }, {}]);

    expect(await world.erase()).toEqual({ passes: 3, removed: { customer: 3 } });
  });

  it('gives up when rows keep appearing, and keeps the customer listed', async () => {
    const world = createWorld([found(1)]);

    await expect(world.erase()).rejects.toThrow('rows appeared in each of 5 passes');
    expect(world.calls).not.toContain('forget');
  });
});

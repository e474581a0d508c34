import { describe, expect, it } from 'vitest';
import { limits } from '#shared/contract/limits.ts';
import { planBulkReplay } from '#shared/operations/replays/plan-bulk-replay.ts';
import type { CountReplayable } from '#shared/operations/replays/ports.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import { buildEndpoint, startOfTest } from '../../../support/values/builders.ts';

const neverReplayed = {
  readReplayStates: unexpected('readReplayStates'),
  listEventReplays: unexpected('listEventReplays'),
  hasFirstDelivery: unexpected('hasFirstDelivery'),
};

const endpoint = buildEndpoint();

/** Plans over deliveries that are all selected. @returns the plan, what it read and the requests that it counted */
async function plan(stored: number, { admitted = 60, roundTime = 0 } = {}) {
  const clock = { now: startOfTest };
  let read = 0;
  let requests = 1;
  const countReplayable: CountReplayable = async (
    _endpoint,
    _selection,
    { roundReads = stored, mayContinue },
  ) => {
    while (read < stored) {
      if (!(await mayContinue({ replayable: read, replayedEarlier: 0, read }))) break;
      read += Math.min(roundReads, stored - read);
      clock.now += roundTime;
    }
    return { replayable: read, replayedEarlier: 0, oldest: null, newest: null, complete: read === stored };
  };
  const planned = await planBulkReplay({
    now: () => clock.now,
    readEndpoint: async () => endpoint,
    countReplayable,
    ...neverReplayed,
  })({
    customerId: endpoint.customerId,
    webhookId: endpoint.id,
    selection: { status: 'failed', createdAfter: 0, createdBefore: null },
    rate: 10,
    countRequest: async () => {
      if (requests === admitted) return false;
      requests += 1;
      return true;
    },
  });
  return { deliveries: planned.deliveries, complete: planned.complete, read, requests };
}

describe('planBulkReplay()', () => {
  it.each([
    { stored: 0, requests: 1 },
    { stored: 500, requests: 1 },
    { stored: 501, requests: 2 },
    { stored: 10_000, requests: 20 },
  ])('counts as one request for each 500 deliveries that it reads: $stored', async ({ stored, requests }) => {
    expect(await plan(stored)).toEqual({ deliveries: stored, complete: true, read: stored, requests });
  });

  it('ends incomplete after twenty requests', async () => {
    const most = limits.planRequests * limits.planReadsPerRequest;

    expect(await plan(1_000_000)).toEqual({ deliveries: most, complete: false, read: most, requests: 20 });
  });

  it('ends incomplete when the request limit is reached', async () => {
    const expected = { deliveries: 1_500, complete: false, read: 1_500, requests: 3 };

    expect(await plan(10_000, { admitted: 3 })).toEqual(expected);
  });

  it('ends incomplete after 15 seconds', async () => {
    expect(await plan(10_000, { roundTime: 5_000 })).toMatchObject({
      complete: false,
      read: 1_500,
      requests: 3,
    });
  });
});

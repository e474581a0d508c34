import { describe, expect, it } from 'vitest';
import type { ReplayableCount } from '#shared/domain/bulk-replay-plan.ts';
import { planEndpoints } from '#shared/operations/replays/plan-bulk-replay.ts';
import type { CountReplayable } from '#shared/operations/replays/ports.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import { buildEndpoint, startOfTest } from '../../../support/values/builders.ts';

const neverReplayed = {
  readEndpoint: unexpected('readEndpoint'),
  readReplayStates: unexpected('readReplayStates'),
  listEventReplays: unexpected('listEventReplays'),
  hasFirstDelivery: unexpected('hasFirstDelivery'),
};

const request = {
  status: 'failed',
  createdAfter: startOfTest,
  createdBefore: startOfTest + 1000,
  rate: 10,
} as const;
const found = (given: Partial<ReplayableCount>): ReplayableCount => ({
  replayable: 0,
  replayedEarlier: 0,
  oldest: null,
  newest: null,
  complete: true,
  ...given,
});

const busy = buildEndpoint({ id: 'whe_busy' });
const failed = buildEndpoint({ id: 'whe_failed', status: 'failed' });
const idle = buildEndpoint({ id: 'whe_idle' });

const counts: Readonly<Record<string, ReplayableCount>> = {
  whe_busy: found({ replayable: 45, replayedEarlier: 5, oldest: startOfTest + 1, newest: startOfTest + 900 }),
  whe_failed: found({ replayable: 7, oldest: startOfTest, newest: startOfTest + 950 }),
  whe_idle: found({}),
};
const countReplayable: CountReplayable = async ({ id }) => counts[id] ?? found({});

describe('planEndpoints()', () => {
  it('says how many deliveries of which endpoints are replayed, from when, and for how long', async () => {
    const ofBusy = { deliveries: 45, oldest: startOfTest + 1, newest: startOfTest + 900, complete: true };
    const ofIdle = { deliveries: 0, oldest: null, newest: null, complete: true };

    expect(await planEndpoints({ countReplayable, ...neverReplayed }, [busy, idle], request)).toEqual({
      endpoints: [
        { endpoint: busy, ...ofBusy, skipped: { replayedEarlier: 5, notActive: 0 } },
        { endpoint: idle, ...ofIdle, skipped: { replayedEarlier: 0, notActive: 0 } },
      ],
      ...ofBusy,
      replayedEarlier: 5,
      durationMs: 4500,
    });
  });

  it('skips the deliveries of an endpoint that is not active, and says so', async () => {
    const plan = await planEndpoints({ countReplayable, ...neverReplayed }, [failed, busy], request);

    expect(plan.endpoints[0]).toMatchObject({ deliveries: 0, skipped: { replayedEarlier: 0, notActive: 7 } });
    expect(plan).toMatchObject({ deliveries: 45, oldest: startOfTest + 1, newest: startOfTest + 900 });
  });

  it.each([
    ['is incomplete when one of its counts is', { replayable: 1, complete: false }, { complete: false }],
    [
      'plans nothing for a range without deliveries',
      {},
      { deliveries: 0, oldest: null, newest: null, durationMs: 0 },
    ],
  ])('%s', async (_, counted, plan) => {
    const count: CountReplayable = async () => found(counted);

    expect(await planEndpoints({ countReplayable: count, ...neverReplayed }, [busy], request)).toMatchObject(
      plan,
    );
  });
});

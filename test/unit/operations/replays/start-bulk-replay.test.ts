import { describe, expect, it } from 'vitest';
import { cancelBulkReplay } from '#shared/operations/replays/cancel-bulk-replay.ts';
import { startBulkReplay } from '#shared/operations/replays/start-bulk-replay.ts';
import {
  countingBytes,
  createClock,
  createJournal,
  createReports,
} from '../../../support/operations/deps.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import { buildEndpoint, customerId, hour, startOfTest, webhookId } from '../../../support/values/builders.ts';

const requestedBy = { by: 'customer', credentialId: 'aky_1' } as const;
const selection = { status: 'failed', createdAfter: startOfTest - hour, createdBefore: null } as const;
const request = { customerId, webhookId, rate: 10, requestedBy, selection };

function createWorld() {
  const { ports } = recordStore({ endpoints: [buildEndpoint()] });
  const { report, events } = createReports();
  const clock = createClock(startOfTest);
  const { entries: steps, note } = createJournal();
  const deps = {
    ...ports,
    now: clock.now,
    report,
    randomBytes: countingBytes(),
    sendReplayStep: note('send', async () => {}),
    storeBulkReplay: note('store', ports.storeBulkReplay),
  };
  return { deps, ports, events, clock, steps };
}

describe('startBulkReplay()', () => {
  it('sends the first step before it stores the job, so that no job is without a message', async () => {
    const { deps, steps, events } = createWorld();

    const job = await startBulkReplay(deps)(request);

    expect(steps).toEqual(['send', 'store']);
    expect(job).toMatchObject({ status: 'running', selection: { createdBefore: startOfTest } });
    expect(events).toEqual([{ name: 'replay.started', job }]);
  });

  it('stores nothing when the queue refuses the first step', async () => {
    const { deps, ports } = createWorld();
    const sendReplayStep = () => Promise.reject(new Error('unreachable'));

    await expect(startBulkReplay({ ...deps, sendReplayStep })(request)).rejects.toThrow('unreachable');

    expect(await ports.readRunningReplay(customerId, webhookId)).toBeNull();
  });

  it('one of two requests at once starts a job, and the other one names it', async () => {
    const { deps } = createWorld();

    const start = startBulkReplay(deps);
    const [started, refused] = await Promise.allSettled([start(request), start(request)]);

    const id = started?.status === 'fulfilled' ? started.value.id : null;
    expect(refused).toMatchObject({
      status: 'rejected',
      reason: { code: 'replay_in_progress', members: { replay_id: id } },
    });
  });

  it.each([
    [{ createdAfter: startOfTest }, '/created_after'],
    [{ createdBefore: startOfTest + 1 }, '/created_before'],
    [{ createdBefore: startOfTest - hour }, '/created_before'],
  ])('refuses %o before it sends anything', async (wrong, pointer) => {
    const { deps, steps } = createWorld();

    const started = startBulkReplay(deps)({ ...request, selection: { ...selection, ...wrong } });

    await expect(started).rejects.toMatchObject({ members: { errors: [{ pointer }] } });
    expect(steps).toEqual([]);
  });

  it.each([
    ['none before', null, 3],
    ['one that ended an hour ago', hour, 3],
    ['one that ended 9 s ago', 9_000, 3],
    ['one that ended 3.5 s ago', 3_500, 7],
    ['one that ended now', 0, 10],
    ['one that ended in a minute, by a clock that is ahead', -60_000, 10],
  ])('begins once the replays of the one before are sent: %s', async (_, endedAgo, seconds) => {
    const { deps, clock } = createWorld();
    const before = await startBulkReplay(deps)(request);
    const endedAt = startOfTest + 10 * hour - (endedAgo ?? 0);
    const ended = { ...before, status: 'cancelled', endedAt } as const;
    clock.pass(10 * hour);
    const delays: number[] = [];

    await startBulkReplay({
      ...deps,
      readRunningReplay: async () => null,
      readBulkReplays: async () => ({ rows: endedAgo === null ? [] : [ended], next: null }),
      storeBulkReplay: async () => true,
      sendReplayStep: async (_step, delay) => void delays.push(delay),
    })(request);

    expect(delays).toEqual([seconds]);
  });

  it.each([
    ['not_found', null],
    ['webhook_not_active', buildEndpoint({ status: 'deleted' })],
    ['webhook_not_active', buildEndpoint({ status: 'failed' })],
  ])('answers %s without an active endpoint, and sends nothing', async (code, endpoint) => {
    const { deps, steps } = createWorld();

    const started = startBulkReplay({ ...deps, readEndpoint: async () => endpoint })(request);

    await expect(started).rejects.toMatchObject({ code });
    expect(steps).toEqual([]);
  });
});

it('cancelBulkReplay() keeps the end of a job that has ended', async () => {
  const { deps, clock } = createWorld();
  const job = await startBulkReplay(deps)(request);
  const ended = { status: 'cancelled', cancelReason: 'requested', endedAt: startOfTest };
  expect(await cancelBulkReplay(deps)(job)).toMatchObject(ended);

  clock.pass(hour);

  expect(await cancelBulkReplay(deps)(job)).toMatchObject(ended);
});

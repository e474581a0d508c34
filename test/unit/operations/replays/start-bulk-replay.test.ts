import { describe, expect, it } from 'vitest';
import type { ReplayRequest } from '#shared/domain/bulk-replay.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { cancelBulkReplay } from '#shared/operations/replays/cancel-bulk-replay.ts';
import { startBulkReplay } from '#shared/operations/replays/start-bulk-replay.ts';
import { countingBytes, createClock, createReports } from '../../../support/operations/deps.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import {
  buildBulkReplay,
  buildDelivery,
  buildEndpoint,
  customerId,
  hour,
  otherWebhookId,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

const requestedBy = { by: 'customer', credentialId: 'aky_1' } as const;
const selection = { status: 'failed', createdAfter: startOfTest - hour, createdBefore: null } as const;
const request = { customerId, webhookId, rate: 10, requestedBy, selection };

function createWorld(endpoints: readonly Endpoint[] = [buildEndpoint()]) {
  const steps: string[] = [];
  const { records, ports } = recordStore({
    endpoints,
    asking: (request) => {
      if (request === 'transaction') steps.push('store');
    },
  });
  const { report, events } = createReports();
  const clock = createClock(startOfTest);
  const deps = {
    ...ports,
    now: clock.now,
    report,
    randomBytes: countingBytes(),
    sendReplayStep: async () => void steps.push('send'),
  };
  return { deps, records, ports, events, clock, steps };
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

  const noSource = {
    code: 'not_found',
    detail: `There is no endpoint \`${otherWebhookId}\`: give \`source_webhook_id\` the id of an endpoint that you hold or have deleted`,
  };
  const pointsAt = (pointer: string) => ({ members: { errors: [{ pointer }] } });

  it.each<[string, Partial<ReplayRequest['selection']>, object, (readonly Endpoint[])?]>([
    ['a range that begins now', { createdAfter: startOfTest }, pointsAt('/created_after')],
    ['a range that ends later', { createdBefore: startOfTest + 1 }, pointsAt('/created_before')],
    ['an empty range', { createdBefore: startOfTest - hour }, pointsAt('/created_before')],
    [
      'ids of deliveries after the range, in words about members that it has',
      { createdAfter: null, createdBefore: startOfTest - 5_000, deliveryIds: [buildDelivery({}, -1_000).id] },
      { code: 'invalid_request', detail: '`created_before` must be after the oldest of `delivery_ids`' },
    ],
    [
      'the id of a delivery that is to come',
      { createdAfter: null, deliveryIds: [buildDelivery({}, 60_000).id] },
      { code: 'not_found', detail: expect.stringContaining('has no delivery') },
    ],
    ['a source that it never had', { sourceWebhookId: otherWebhookId }, noSource],
    [
      'a source of another customer',
      { sourceWebhookId: otherWebhookId },
      noSource,
      [buildEndpoint(), buildEndpoint({ customerId: 'cus_other', id: otherWebhookId })],
    ],
    ['an endpoint that it never had', {}, { code: 'not_found' }, []],
    ['a deleted endpoint', {}, { code: 'webhook_not_active' }, [buildEndpoint({ status: 'deleted' })]],
    ['a failed endpoint', {}, { code: 'webhook_not_active' }, [buildEndpoint({ status: 'failed' })]],
  ])('refuses %s before it sends anything', async (_, wrong, refusal, endpoints) => {
    const { deps, steps } = createWorld(endpoints);

    const started = startBulkReplay(deps)({ ...request, selection: { ...selection, ...wrong } });

    await expect(started).rejects.toMatchObject(refusal);
    expect(steps).toEqual([]);
  });

  it('takes the deliveries that it is given by their ids, since the oldest of them', async () => {
    const { deps, ports } = createWorld();
    const [older, newer] = [buildDelivery({}, -2_000), buildDelivery({}, -1_000)];
    for (const delivery of [older, newer]) await ports.storeDelivery(delivery, null);
    const deliveryIds = [newer.id, older.id];

    const job = await startBulkReplay(deps)({
      ...request,
      selection: { ...selection, createdAfter: null, deliveryIds },
    });

    expect(job.selection).toMatchObject({ createdAfter: startOfTest - 2_000, deliveryIds });
  });

  it('takes the deliveries of a source by their ids', async () => {
    const { deps, ports } = createWorld([buildEndpoint(), buildEndpoint({ id: otherWebhookId, status: 'failed' })]);
    const delivery = buildDelivery({ webhookId: otherWebhookId }, -1_000);
    await ports.storeDelivery(delivery, null);
    const asked = { ...selection, sourceWebhookId: otherWebhookId, deliveryIds: [delivery.id] };

    const job = await startBulkReplay(deps)({ ...request, selection: asked });

    expect(job).toMatchObject({ webhookId, selection: { ...asked, createdBefore: startOfTest } });
  });

  it.each([
    ['that is unknown', {}],
    ['of another endpoint', { webhookId: otherWebhookId }],
    ['of another customer', { customerId: 'cus_other' }],
  ])('answers not_found for a delivery %s, and sends nothing', async (_, owner) => {
    const { deps, ports, steps } = createWorld();
    const known = buildDelivery({}, -2_000);
    const unknown = buildDelivery(owner, -1_000);
    await ports.storeDelivery(known, null);
    if (Object.keys(owner).length > 0) await ports.storeDelivery(unknown, null);
    const deliveryIds = [known.id, unknown.id];

    const started = startBulkReplay(deps)({ ...request, selection: { ...selection, deliveryIds } });

    await expect(started).rejects.toMatchObject({
      code: 'not_found',
      detail: expect.stringContaining(`has no delivery \`${unknown.id}\`:`),
    });
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
    const { deps, records, clock } = createWorld();
    const endedAt = startOfTest + 10 * hour - (endedAgo ?? 0);
    if (endedAgo !== null) records.putBulkReplay({ ...buildBulkReplay(), status: 'cancelled', endedAt });
    clock.pass(10 * hour);
    const delays: number[] = [];

    await startBulkReplay({
      ...deps,
      sendReplayStep: async (_step, delay) => void delays.push(delay),
    })(request);

    expect(delays).toEqual([seconds]);
  });
});

it('cancelBulkReplay() keeps the end of a job that has ended, and says whether a call or another try of it ended it', async () => {
  const { deps, clock } = createWorld();
  const job = await startBulkReplay(deps)(request);
  const cancelled = { status: 'cancelled', cancelReason: 'requested', endedAt: startOfTest };
  expect(await cancelBulkReplay(deps)(job)).toMatchObject({ job: cancelled, ended: true });

  clock.pass(hour);

  expect(await cancelBulkReplay(deps)(job)).toMatchObject({ job: cancelled, ended: false });
  expect(await cancelBulkReplay(deps)(job, startOfTest)).toMatchObject({ job: cancelled, ended: true });
});

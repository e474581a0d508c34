import { describe, expect, it } from 'vitest';
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

function createWorld(others: readonly Endpoint[] = []) {
  const steps: string[] = [];
  const { table, ports } = recordStore({
    endpoints: [buildEndpoint(), ...others],
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
  return { deps, table, ports, events, clock, steps };
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

  it.each([
    ['that it never had', null],
    ['of another customer', buildEndpoint({ customerId: 'cus_other', id: otherWebhookId })],
  ])('answers not_found for a source %s, and sends nothing', async (_, other) => {
    const { deps, steps } = createWorld(other === null ? [] : [other]);
    const asked = { ...selection, sourceWebhookId: otherWebhookId };

    const started = startBulkReplay(deps)({ ...request, selection: asked });

    await expect(started).rejects.toMatchObject({
      code: 'not_found',
      detail: `There is no endpoint \`${otherWebhookId}\`: give \`source_webhook_id\` the id of an endpoint that you hold or have deleted`,
    });
    expect(steps).toEqual([]);
  });

  it('takes the deliveries of a source by their ids', async () => {
    const { deps, ports } = createWorld([buildEndpoint({ id: otherWebhookId, status: 'failed' })]);
    const delivery = buildDelivery({ webhookId: otherWebhookId }, -1_000);
    await ports.storeDelivery(delivery, null);
    const asked = { ...selection, sourceWebhookId: otherWebhookId, deliveryIds: [delivery.id] };

    const job = await startBulkReplay(deps)({ ...request, selection: asked });

    expect(job).toMatchObject({ webhookId, selection: { ...asked, createdBefore: startOfTest } });
  });

  it.each([
    [undefined, { code: 'not_found', detail: expect.stringContaining('has no delivery') }],
    [
      startOfTest - 5_000,
      { code: 'invalid_request', detail: '`created_before` must be after the oldest of `delivery_ids`' },
    ],
  ])('names no beginning that the request does not have: delivery ids, created before %s', async (end, refused) => {
    const { deps } = createWorld();
    const asked = { ...selection, createdAfter: null, createdBefore: end ?? null };
    const deliveryIds = [buildDelivery({}, end === undefined ? 60_000 : -1_000).id];

    const started = startBulkReplay(deps)({ ...request, selection: { ...asked, deliveryIds } });

    await expect(started).rejects.toMatchObject(refused);
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
    const { deps, table, clock } = createWorld();
    const endedAt = startOfTest + 10 * hour - (endedAgo ?? 0);
    if (endedAgo !== null) table.putBulkReplay({ ...buildBulkReplay(), status: 'cancelled', endedAt });
    clock.pass(10 * hour);
    const delays: number[] = [];

    await startBulkReplay({
      ...deps,
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

    const { table } = recordStore({ endpoints: endpoint === null ? [] : [endpoint] }).ports;

    const started = startBulkReplay({ ...deps, table })(request);

    await expect(started).rejects.toMatchObject({ code });
    expect(steps).toEqual([]);
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

import { describe, expect, it } from 'vitest';
import { type IntakeMessage, intakeMessage } from '#shared/contract/messages/intake-message.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { acceptIntake } from '#shared/operations/intake/accept-intake.ts';
import type { EnqueueAttempts } from '#shared/operations/ports.ts';
import { memoryStore } from '../../../support/memory/memory-store.ts';
import { createClock, createReports } from '../../../support/operations/deps.ts';
import {
  buildEndpoint,
  customerId,
  minute,
  otherWebhookId,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';
import { intakeExamples } from '../../../support/values/intake-messages.ts';

type Deps = Parameters<typeof acceptIntake>[0];

const both = [buildEndpoint(), buildEndpoint({ id: otherWebhookId })];
const parsed = (type: keyof typeof intakeExamples): IntakeMessage =>
  intakeMessage.parse(intakeExamples[type]);
const settled = (id: string): IntakeMessage =>
  intakeMessage.parse({
    ...intakeExamples['run.settled'],
    run: { ...intakeExamples['run.settled'].run, id },
  });

function createWorld(endpoints: readonly Endpoint[] = both, given: Partial<Deps> = {}) {
  const clock = createClock(startOfTest);
  const reports = createReports();
  const { table, ports, deliveries, endpoints: live } = memoryStore({ endpoints });
  table.addCustomer(customerId);
  const results: string[] = [];
  const requests: (readonly DueAttempt[])[] = [];
  const slowRequests: (readonly DueAttempt[])[] = [];
  const enqueueAttempts: EnqueueAttempts = async (due) => {
    requests.push(due);
    return [];
  };
  const accept = acceptIntake({
    now: clock.now,
    baseUrl: 'https://api.example.com',
    report: reports.report,
    ...ports,
    storeRunItems: async (customer, runId) => void results.push(`items of ${customer} ${runId}`),
    storeTracker: async (customer, { id }) => void results.push(`tracker ${customer} ${id}`),
    storeCreatorVideos: async (customer, { platform, handle }) =>
      void results.push(`videos of ${customer} ${platform} ${handle}`),
    enqueueAttempts,
    enqueueSlowAttempts: async (due) => {
      slowRequests.push(due);
      return [];
    },
    ...given,
  });
  /** Names of the stored Runs, reports and other results. */
  const stored = () => [
    ...[...table.runs].map(([name, { settled }]) => `${settled === null ? 'open' : 'settled'} run ${name}`),
    ...[...table.reports.keys()].map((name) => `report ${name}`),
    ...results,
  ];
  const bodies = () => deliveries.all().map(({ body }) => JSON.parse(body));
  return {
    clock,
    table,
    stored,
    deliveries,
    live,
    requests,
    slowRequests,
    /** Everything that was reported beside the results of the batches. */
    get events() {
      return reports.events.filter(({ name }) => name !== 'intake.done');
    },
    get batches() {
      return reports.events.filter(({ name }) => name === 'intake.done');
    },
    accept,
    bodies,
  };
}

describe('acceptIntake() with a slow endpoint', () => {
  const withOneSlow = [buildEndpoint({ slowSince: startOfTest }), buildEndpoint({ id: otherWebhookId })];

  it.each(['run.settled', 'change_report.written'] as const)(
    'queues its attempts in the slow lane, and the others in the ordinary one: %s',
    async (type) => {
      const world = createWorld(withOneSlow);

      expect(await world.accept([parsed(type)])).toEqual(['done']);

      const webhooks = (requests: readonly (readonly DueAttempt[])[]) =>
        requests.map((due) => due.map(({ key }) => key.webhookId));
      expect(webhooks(world.slowRequests)).toEqual([[webhookId]]);
      expect(webhooks(world.requests)).toEqual([[otherWebhookId]]);
    },
  );

  it('keeps a message whose attempt the slow queue refused', async () => {
    const world = createWorld(withOneSlow, { enqueueSlowAttempts: async (due) => due });

    expect(await world.accept([parsed('run.settled')])).toEqual(['retry']);
  });

  it('keeps a message when the slow queue fails, although the other attempt is queued', async () => {
    const world = createWorld(withOneSlow, {
      enqueueSlowAttempts: () => Promise.reject(new Error('unavailable')),
    });

    expect(await world.accept([parsed('run.settled')])).toEqual(['retry']);
    expect(world.requests).toHaveLength(1);
    expect(world.events).toMatchObject([{ name: 'step.failed', step: 'enqueue' }]);
  });
});

describe('acceptIntake() about a settled Run', () => {
  it('makes one event, makes one pending delivery for each active endpoint, and queues their first attempts', async () => {
    const world = createWorld([...both, buildEndpoint({ id: 'whe_failed', status: 'failed' })]);

    const results = await world.accept([parsed('run.settled')]);

    const made = world.deliveries.all();
    expect(results).toEqual(['done']);
    expect(made.map((delivery) => delivery.webhookId).sort()).toEqual([webhookId, otherWebhookId].sort());
    expect(made).toMatchObject(
      [1, 2].map(() => ({ customerId, status: 'pending', attempts: 0, replayOf: null })),
    );
    expect(new Set(made.map(({ body }) => body)).size).toBe(1);
    expect(world.requests).toEqual([
      made.map(({ id, webhookId: webhook }) => ({
        key: { customerId, webhookId: webhook, id },
        attempt: 1,
      })),
    ]);
    expect(world.bodies()[0]).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'run.completed',
      created_at: '2026-11-20T12:00:00.500Z',
      run_id: 'run_1',
      kind: 'search',
      status: 'completed',
      charge_usd: 0.02,
      links: { run: 'https://api.example.com/v1/runs/run_1' },
    });
  });

  it('leaves new deliveries to the queue, not to the sweeper', async () => {
    const world = createWorld();

    await world.accept([parsed('run.settled')]);

    const allProgress = world.deliveries.all().map(({ id }) => world.deliveries.dueAt(id));
    expect(allProgress).toEqual([null, null]);
  });

  it('stores the Run and queues nothing when there is no active endpoint', async () => {
    const world = createWorld([]);

    await expect(world.accept([parsed('run.settled')])).resolves.toEqual(['done']);
    expect(world.stored()).toEqual([`settled run ${customerId}#run_1`]);
    expect(world.requests).toEqual([]);
  });

  it('names the Tracker of a tracker cycle in the event', async () => {
    const world = createWorld();
    const run = { ...intakeExamples['run.settled'].run, tracker_id: 'trk_1' };

    await world.accept([intakeMessage.parse({ ...intakeExamples['run.settled'], run })]);

    expect(world.bodies()[0]).toMatchObject({ type: 'run.completed', tracker_id: 'trk_1' });
    expect(world.bodies()[0]).not.toHaveProperty('change_report_id');
  });

  it.each(['partial', 'failed'])('sends the status of a Run that is %s', async (status) => {
    const world = createWorld();
    const run = { ...intakeExamples['run.settled'].run, status };

    await world.accept([intakeMessage.parse({ ...intakeExamples['run.settled'], run })]);

    expect(world.bodies()[0]).toMatchObject({ type: 'run.completed', status });
  });
});

describe('acceptIntake() about a message that repeats', () => {
  it('makes the same event and the same deliveries, also after endpoints were added and deleted', async () => {
    const world = createWorld();
    await world.accept([parsed('run.settled')]);
    const before = world.deliveries.all();

    world.clock.pass(5 * minute);
    world.live.put(buildEndpoint({ status: 'deleted' }));
    world.live.put(buildEndpoint({ id: 'whe_later' }));
    const results = await world.accept([parsed('run.settled')]);

    expect(results).toEqual(['done']);
    expect(world.deliveries.all()).toEqual(before);
    expect(world.requests[1]).toEqual(world.requests[0]);
  });

  it('keeps the Run as it first settled', async () => {
    const world = createWorld();
    await world.accept([parsed('run.settled')]);
    const before = world.deliveries.all();

    const run = { ...intakeExamples['run.settled'].run, status: 'failed', charge_usd: 9 };
    await world.accept([intakeMessage.parse({ ...intakeExamples['run.settled'], run })]);

    expect(world.deliveries.all()).toEqual(before);
  });

  it('does not queue deliveries again that were attempted meanwhile', async () => {
    const world = createWorld();
    await world.accept([parsed('run.settled')]);
    const [first, second] = world.deliveries.all();
    if (first === undefined || second === undefined) throw new Error('Two deliveries were expected');
    world.deliveries.put({ ...first, attempts: 1 });
    world.deliveries.put({ ...second, status: 'failed' });

    await expect(world.accept([parsed('run.settled')])).resolves.toEqual(['done']);
    expect(world.requests).toHaveLength(1);
  });

  it('makes one event from twenty copies in one batch', async () => {
    const world = createWorld();

    const results = await world.accept(Array.from({ length: 20 }, () => parsed('run.settled')));

    expect(new Set(results)).toEqual(new Set(['done']));
    expect(world.deliveries.all()).toHaveLength(2);
    expect(new Set(world.bodies().map(({ id }) => id)).size).toBe(1);
  });

  it('makes a separate event for every Run', async () => {
    const world = createWorld();

    await world.accept([settled('run_a'), settled('run_b')]);

    expect(world.deliveries.all()).toHaveLength(4);
    expect(new Set(world.bodies().map(({ id }) => id)).size).toBe(2);
    expect(world.requests).toHaveLength(1);
  });
});

describe('acceptIntake() about a Change Report', () => {
  it('makes one event that names Tracker, Run and report, and settles the Run without a second event', async () => {
    const world = createWorld();

    await expect(world.accept([parsed('change_report.written')])).resolves.toEqual(['done']);

    expect(world.table.runs.get(`${customerId}#run_2`)?.settled).toMatchObject({ tracker_id: 'trk_1' });
    expect(world.bodies()).toHaveLength(2);
    expect(world.bodies()[0]).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'tracker.changed',
      created_at: '2026-11-20T12:00:00.500Z',
      run_id: 'run_2',
      kind: 'tracker_cycle',
      status: 'completed',
      charge_usd: 0.1,
      tracker_id: 'trk_1',
      change_report_id: 'chg_1',
      links: {
        run: 'https://api.example.com/v1/runs/run_2',
        tracker: 'https://api.example.com/v1/trackers/trk_1',
        changes: 'https://api.example.com/v1/trackers/trk_1/changes',
      },
    });
  });

  it('makes one event in addition to the event of its Run, in any order of the messages', async () => {
    const cycle = intakeMessage.parse({
      ...intakeExamples['run.settled'],
      run: { ...intakeExamples['change_report.written'].run, tracker_id: 'trk_1' },
    });
    const worlds = [createWorld(), createWorld()];

    await worlds[0]?.accept([parsed('change_report.written'), cycle]);
    await worlds[1]?.accept([cycle, parsed('change_report.written')]);

    for (const world of worlds) {
      const types = world.bodies().map(({ type }) => type);
      expect(types.sort()).toEqual(['run.completed', 'run.completed', 'tracker.changed', 'tracker.changed']);
    }
    expect(new Set(worlds[0]?.deliveries.all().map(({ id }) => id))).toEqual(
      new Set(worlds[1]?.deliveries.all().map(({ id }) => id)),
    );
  });

  it('changes nothing when a Change Report repeats', async () => {
    const world = createWorld();
    await world.accept([parsed('change_report.written')]);
    const before = world.deliveries.all();

    world.clock.pass(minute);
    await world.accept([parsed('change_report.written')]);

    expect(world.deliveries.all()).toEqual(before);
  });
});

describe('acceptIntake() about messages without an event', () => {
  it.each([
    ['run.saved', `open run ${customerId}#run_1`],
    ['run.items_saved', `items of ${customerId} run_1`],
    ['tracker.saved', `tracker ${customerId} trk_1`],
    ['creator_videos.saved', `videos of ${customerId} tiktok maker`],
  ] as const)('stores what %s says and queues nothing', async (type, name) => {
    const world = createWorld();

    await expect(world.accept([parsed(type)])).resolves.toEqual(['done']);
    expect(world.stored()).toEqual([name]);
    expect(world.requests).toEqual([]);
  });
});

describe('acceptIntake() about its log', () => {
  it('reports one line for a batch: the result of each message, and the event of each that has one', async () => {
    const world = createWorld();

    await world.accept([settled('run_a'), parsed('tracker.saved'), parsed('change_report.written')]);

    expect(world.batches).toEqual([
      {
        name: 'intake.done',
        results: ['accepted', 'accepted', 'accepted'],
        events: [
          {
            customerId,
            event: { id: expect.stringMatching(/^evt_/), type: 'run.completed', runId: 'run_a' },
            deliveries: 2,
            isRepeated: false,
          },
          {
            customerId,
            event: { id: expect.stringMatching(/^evt_/), type: 'tracker.changed', runId: 'run_2' },
            deliveries: 2,
            isRepeated: false,
          },
        ],
      },
    ]);
  });

  it('reports a repeated message with its first event, also when nobody listens', async () => {
    const world = createWorld([]);

    await world.accept([settled('run_a')]);
    world.clock.pass(minute);
    await world.accept([settled('run_a')]);

    const [first, second] = world.batches;
    expect(first).toMatchObject({ results: ['accepted'], events: [{ deliveries: 0, isRepeated: false }] });
    expect(second).toMatchObject({ results: ['repeated'], events: [{ deliveries: 0, isRepeated: true }] });
    expect(JSON.stringify(second)).toContain(/evt_\w+/.exec(JSON.stringify(first))?.[0]);
  });

  it('names no event of a message that is received again', async () => {
    const world = createWorld(both, { enqueueAttempts: async (due) => due });

    await world.accept([settled('run_a')]);

    expect(world.batches).toEqual([{ name: 'intake.done', results: ['retried'], events: [] }]);
  });
});

describe('acceptIntake() about a customer that does not exist', () => {
  const stranger = { ...intakeExamples['run.settled'], customer_id: 'cus_nobody' };

  it.each(Object.keys(intakeExamples))('refuses %s, stores nothing and reports it once', async (type) => {
    const world = createWorld();
    const [example] = Object.entries(intakeExamples).flatMap(([name, message]) =>
      name === type ? [message] : [],
    );

    const results = await world.accept([intakeMessage.parse({ ...example, customer_id: 'cus_nobody' })]);

    expect(results).toEqual([{ refused: 'unknown_customer' }]);
    expect(world.events).toMatchObject([{ name: 'unknown_customer', type, customerId: 'cus_nobody' }]);
    expect(world.batches).toEqual([{ name: 'intake.done', results: ['unknown_customer'], events: [] }]);
    expect(world.stored()).toEqual([]);
    expect(world.deliveries.all()).toEqual([]);
  });

  it('processes the messages of other customers', async () => {
    const world = createWorld();

    const results = await world.accept([intakeMessage.parse(stranger), settled('run_a')]);

    expect(results).toEqual([{ refused: 'unknown_customer' }, 'done']);
    expect(world.deliveries.all()).toHaveLength(2);
  });

  it('reads each customer of a batch once', async () => {
    const asked: string[] = [];
    const isCustomerKnown = async (id: string) => {
      asked.push(id);
      return id === customerId;
    };
    const world = createWorld(both, { isCustomerKnown });

    const saved = (id: string) =>
      intakeMessage.parse({
        type: 'run.items_saved',
        customer_id: customerId,
        run_id: id,
        items: [],
      });

    await world.accept([saved('run_a'), intakeMessage.parse(stranger), saved('run_b')]);

    expect(asked.toSorted()).toEqual([customerId, 'cus_nobody'].toSorted());
  });

  it('does not read a customer whose endpoints it has read', async () => {
    const isCustomerKnown = () => Promise.reject(new Error('The test expects no such read'));
    const world = createWorld(both, { isCustomerKnown });

    expect(await world.accept([settled('run_a')])).toEqual(['done']);
  });
});

describe('acceptIntake() about several events of a customer', () => {
  it('reads the endpoints once for a batch, and again for a repeat of its messages', async () => {
    const asked: string[] = [];
    const listLiveEndpoints = async (id: string) => {
      asked.push(id);
      return both;
    };
    const world = createWorld(both, { listLiveEndpoints });
    const batch = [settled('run_a'), parsed('change_report.written'), settled('run_b')];

    await world.accept(batch);
    expect(asked).toEqual([customerId]);
    await world.accept(batch);

    expect(asked).toEqual([customerId, customerId]);
    expect(world.deliveries.all()).toHaveLength(6);
  });

  it('returns every event to the queue when the endpoints cannot be read', async () => {
    const listLiveEndpoints = () => Promise.reject(new Error('throttled'));
    const world = createWorld(both, { listLiveEndpoints });

    const results = await world.accept([settled('run_a'), parsed('tracker.saved'), settled('run_b')]);

    expect(results).toEqual(['retry', 'done', 'retry']);
  });
});

describe('acceptIntake() when a part of the service fails', () => {
  it.each([
    ['storeOpenRun', 'run.saved'],
    ['storeRunItems', 'run.items_saved'],
    ['isCustomerKnown', 'run.saved'],
    ['listLiveEndpoints', 'run.settled'],
    ['storeSettledRunWithFanOut', 'run.settled'],
    ['storeDelivery', 'run.settled'],
    ['storeTracker', 'tracker.saved'],
    ['storeSettledRun', 'change_report.written'],
    ['storeChangeReport', 'change_report.written'],
    ['storeCreatorVideos', 'creator_videos.saved'],
  ] as const)('returns the message to the queue when %s fails, and reports it', async (port, type) => {
    const world = createWorld(both, { [port]: () => Promise.reject(new Error('throttled')) });

    const runId = type === 'change_report.written' ? 'run_2' : 'run_1';

    await expect(world.accept([parsed(type)])).resolves.toEqual(['retry']);
    expect(world.events).toEqual([
      {
        name: 'step.failed',
        step: `intake ${type}`,
        subject: type.startsWith('run') || type.startsWith('change') ? { customerId, runId } : { customerId },
        cause: new Error('throttled'),
      },
    ]);
    expect(world.batches).toEqual([{ name: 'intake.done', results: ['retried'], events: [] }]);
    expect(world.requests).toEqual([]);
  });

  it('processes the other messages when one fails', async () => {
    const world = createWorld(both, { storeTracker: () => Promise.reject(new Error('throttled')) });

    const results = await world.accept([settled('run_a'), parsed('tracker.saved'), settled('run_b')]);

    expect(results).toEqual(['done', 'retry', 'done']);
    expect(world.deliveries.all()).toHaveLength(4);
  });

  it('returns only the messages whose attempts the queue refused', async () => {
    const world = createWorld(both, {
      enqueueAttempts: async (messages) => messages.slice(2, 3),
    });

    const results = await world.accept([settled('run_a'), settled('run_b'), parsed('run.saved')]);

    expect(results).toEqual(['done', 'retry', 'done']);
  });

  it('returns every message with attempts while the queue cannot be reached', async () => {
    const world = createWorld(both, { enqueueAttempts: () => Promise.reject(new Error('unreachable')) });

    const results = await world.accept([settled('run_a'), parsed('run.saved')]);

    expect(results).toEqual(['retry', 'done']);
    expect(world.events).toMatchObject([{ name: 'step.failed', step: 'enqueue' }]);
  });
});

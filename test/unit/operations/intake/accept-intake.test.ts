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
const settledWith = (run: Readonly<Record<string, unknown>>): IntakeMessage =>
  intakeMessage.parse({
    ...intakeExamples['run.settled'],
    run: { ...intakeExamples['run.settled'].run, ...run },
  });
const settled = (id: string) => settledWith({ id });
const stranger = intakeMessage.parse({ ...intakeExamples['run.settled'], customer_id: 'cus_nobody' });
const trackerLinks = {
  tracker: 'https://api.example.com/v1/trackers/trk_1',
  changes: 'https://api.example.com/v1/trackers/trk_1/changes',
};
const throttled = new Error('throttled');
const fails = () => Promise.reject(throttled);

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

describe('acceptIntake() about a settled Run', () => {
  it('makes one event, makes one pending delivery for each active endpoint, and queues their first attempts', async () => {
    const world = createWorld([...both, buildEndpoint({ id: 'whe_failed', status: 'failed' })]);

    expect(await world.accept([parsed('run.settled')])).toEqual(['done']);

    const made = world.deliveries.all();
    expect(made.map((delivery) => delivery.webhookId).sort()).toEqual([webhookId, otherWebhookId].sort());
    for (const delivery of made) {
      expect(delivery).toMatchObject({ customerId, status: 'pending', attempts: 0, replayOf: null });
      expect(delivery.body).toBe(made[0]?.body);
      // New deliveries are left to the queue, not to the sweep.
      expect(world.deliveries.dueAt(delivery.id)).toBeNull();
    }
    expect(world.requests).toEqual([
      made.map(({ id, webhookId: webhook }) => ({ key: { customerId, webhookId: webhook, id }, attempt: 1 })),
    ]);
  });

  it.each([
    { given: {}, says: {}, links: {} },
    { given: { status: 'failed' }, says: { status: 'failed' }, links: {} },
    {
      given: { status: 'partial', tracker_id: 'trk_1' },
      says: { status: 'partial', tracker_id: 'trk_1' },
      links: trackerLinks,
    },
  ])('sends what the message says: $given', async ({ given, says, links }) => {
    const world = createWorld();

    await world.accept([settledWith(given)]);

    expect(world.bodies()[0]).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'run.completed',
      created_at: '2026-11-20T12:00:00.500Z',
      run_id: 'run_1',
      kind: 'search',
      status: 'completed',
      charge_usd: 0.02,
      ...says,
      links: { run: 'https://api.example.com/v1/runs/run_1', ...links },
    });
  });

  it('stores the Run and queues nothing when there is no active endpoint', async () => {
    const world = createWorld([]);

    expect(await world.accept([parsed('run.settled')])).toEqual(['done']);
    expect(world.stored()).toEqual([`settled run ${customerId}#run_1`]);
    expect(world.requests).toEqual([]);
  });
});

describe('acceptIntake() about a Change Report', () => {
  it('makes one event that names Tracker, Run and report, and settles the Run without a second event', async () => {
    const world = createWorld();

    expect(await world.accept([parsed('change_report.written')])).toEqual(['done']);

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
      links: { run: 'https://api.example.com/v1/runs/run_2', ...trackerLinks },
    });
  });

  it('makes one event in addition to the event of its Run, in any order of the messages', async () => {
    const report = parsed('change_report.written');
    const cycle = settledWith({ ...intakeExamples['change_report.written'].run, tracker_id: 'trk_1' });
    const deliveriesAfter = async (...messages: readonly IntakeMessage[]) => {
      const world = createWorld();
      await world.accept(messages);
      return world.deliveries
        .all()
        .map(({ id, event }) => `${event.type} ${id}`)
        .sort();
    };

    const made = await deliveriesAfter(report, cycle);

    expect(made.map((each) => each.split(' ')[0])).toEqual([
      'run.completed',
      'run.completed',
      'tracker.changed',
      'tracker.changed',
    ]);
    expect(await deliveriesAfter(cycle, report)).toEqual(made);
  });
});

describe('acceptIntake() about a message that repeats', () => {
  it.each(['run.settled', 'change_report.written'] as const)(
    'makes the same event and the same deliveries, also after endpoints were added and deleted: %s',
    async (type) => {
      const world = createWorld();
      await world.accept([parsed(type)]);
      const before = world.deliveries.all();

      world.clock.pass(5 * minute);
      world.live.put(buildEndpoint({ status: 'deleted' }));
      world.live.put(buildEndpoint({ id: 'whe_later' }));

      expect(await world.accept([parsed(type)])).toEqual(['done']);
      expect(world.deliveries.all()).toEqual(before);
      expect(world.requests[1]).toEqual(world.requests[0]);
    },
  );

  it('keeps the Run as it first settled', async () => {
    const world = createWorld();
    await world.accept([parsed('run.settled')]);
    const before = world.deliveries.all();

    await world.accept([settledWith({ status: 'failed', charge_usd: 9 })]);

    expect(world.deliveries.all()).toEqual(before);
  });

  it('does not queue deliveries again that were attempted meanwhile', async () => {
    const world = createWorld();
    await world.accept([parsed('run.settled')]);
    for (const delivery of world.deliveries.all()) world.deliveries.put({ ...delivery, attempts: 1 });

    expect(await world.accept([parsed('run.settled')])).toEqual(['done']);
    expect(world.requests).toHaveLength(1);
  });

  it('makes one event for every Run of a batch, and queues all at once', async () => {
    const world = createWorld();
    const copies = Array.from({ length: 20 }, () => settled('run_a'));

    const results = await world.accept([...copies, settled('run_b')]);

    expect(new Set(results)).toEqual(new Set(['done']));
    expect(world.deliveries.all()).toHaveLength(4);
    expect(new Set(world.bodies().map(({ id }) => id)).size).toBe(2);
    expect(world.requests).toHaveLength(1);
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

    expect(await world.accept([parsed(type)])).toEqual(['done']);
    expect(world.stored()).toEqual([name]);
    expect(world.requests).toEqual([]);
  });
});

describe('acceptIntake() with a slow endpoint', () => {
  const withOneSlow = [buildEndpoint({ slowSince: startOfTest }), buildEndpoint({ id: otherWebhookId })];

  it.each(['run.settled', 'change_report.written'] as const)(
    'queues its attempts in the slow lane, and the others in the ordinary one: %s',
    async (type) => {
      const world = createWorld(withOneSlow);

      expect(await world.accept([parsed(type)])).toEqual(['done']);

      expect(world.slowRequests).toMatchObject([[{ key: { webhookId } }]]);
      expect(world.requests).toMatchObject([[{ key: { webhookId: otherWebhookId } }]]);
    },
  );

  it('keeps a message whose attempt the slow queue refused', async () => {
    const world = createWorld(withOneSlow, { enqueueSlowAttempts: async (due) => due });

    expect(await world.accept([parsed('run.settled')])).toEqual(['retry']);
  });

  it('keeps a message when the slow queue fails, although the other attempt is queued', async () => {
    const world = createWorld(withOneSlow, { enqueueSlowAttempts: fails });

    expect(await world.accept([parsed('run.settled')])).toEqual(['retry']);
    expect(world.requests).toHaveLength(1);
    expect(world.events).toMatchObject([{ name: 'step.failed', step: 'enqueue' }]);
  });
});

describe('acceptIntake() about its log', () => {
  it('reports one line for a batch: the result of each message, and the event of each that has one', async () => {
    const world = createWorld();
    const id = expect.stringMatching(/^evt_/);

    await world.accept([settled('run_a'), parsed('tracker.saved'), parsed('change_report.written')]);

    const event = { customerId, deliveries: 2, isRepeated: false };
    expect(world.batches).toEqual([
      {
        name: 'intake.done',
        results: ['accepted', 'accepted', 'accepted'],
        events: [
          { ...event, event: { id, type: 'run.completed', runId: 'run_a' } },
          { ...event, event: { id, type: 'tracker.changed', runId: 'run_2' } },
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
  it.each(Object.entries(intakeExamples))(
    'refuses %s, stores nothing and reports it once',
    async (type, example) => {
      const world = createWorld();

      const results = await world.accept([intakeMessage.parse({ ...example, customer_id: 'cus_nobody' })]);

      expect(results).toEqual([{ refused: 'unknown_customer' }]);
      expect(world.events).toMatchObject([{ name: 'unknown_customer', type, customerId: 'cus_nobody' }]);
      expect(world.batches).toEqual([{ name: 'intake.done', results: ['unknown_customer'], events: [] }]);
      expect(world.stored()).toEqual([]);
      expect(world.deliveries.all()).toEqual([]);
    },
  );

  it('processes the messages of other customers, and reads each customer of a batch once', async () => {
    const asked: string[] = [];
    const isCustomerKnown = async (id: string) => {
      asked.push(id);
      return id === customerId;
    };
    const world = createWorld(both, { isCustomerKnown });

    const results = await world.accept([parsed('run.saved'), stranger, parsed('tracker.saved')]);

    expect(results).toEqual(['done', { refused: 'unknown_customer' }, 'done']);
    expect(asked.toSorted()).toEqual([customerId, 'cus_nobody'].toSorted());
  });

  it('does not read a customer whose endpoints it has read', async () => {
    const world = createWorld(both, { isCustomerKnown: fails });

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
    const world = createWorld(both, { listLiveEndpoints: fails });

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
    const world = createWorld(both, { [port]: fails });
    const runId = /^run/.test(type) ? { runId: 'run_1' } : /^change/.test(type) ? { runId: 'run_2' } : {};

    expect(await world.accept([parsed(type)])).toEqual(['retry']);
    expect(world.events).toEqual([
      { name: 'step.failed', step: `intake ${type}`, subject: { customerId, ...runId }, cause: throttled },
    ]);
    expect(world.batches).toEqual([{ name: 'intake.done', results: ['retried'], events: [] }]);
    expect(world.requests).toEqual([]);
  });

  it('returns only the messages whose attempts the queue refused', async () => {
    const world = createWorld(both, { enqueueAttempts: async (messages) => messages.slice(2, 3) });

    const results = await world.accept([settled('run_a'), settled('run_b'), parsed('run.saved')]);

    expect(results).toEqual(['done', 'retry', 'done']);
  });

  it('returns every message with attempts while the queue cannot be reached', async () => {
    const world = createWorld(both, { enqueueAttempts: fails });

    expect(await world.accept([settled('run_a'), parsed('run.saved')])).toEqual(['retry', 'done']);
    expect(world.events).toMatchObject([{ name: 'step.failed', step: 'enqueue' }]);
  });
});

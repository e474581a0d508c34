import { describe, expect, it } from 'vitest';
import { type IntakeMessage, intakeMessage } from '#shared/contract/messages/intake-message.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import { deliveryPartition } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { runCompletedBody } from '#shared/domain/event.ts';
import { idTime } from '#shared/domain/ids.ts';
import type { Lane } from '#shared/domain/lane.ts';
import { acceptIntake } from '#shared/operations/intake/accept-intake.ts';
import type { EnqueueAttempts } from '#shared/operations/ports.ts';
import { createClock, createReports } from '../../../support/operations/deps.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import {
  buildEndpoint,
  customerId,
  minute,
  otherWebhookId,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';
import { intakeExamples } from '../../../support/values/intake-messages.ts';
import { buildVideo } from '../../../support/values/stored-results.ts';

type Deps = Parameters<typeof acceptIntake>[0];
type MessageType = keyof typeof intakeExamples;

const both = [buildEndpoint(), buildEndpoint({ id: otherWebhookId })];
const parsed = (type: MessageType): IntakeMessage => intakeMessage.parse(intakeExamples[type]);
const settledWith = (run: Readonly<Record<string, unknown>>): IntakeMessage =>
  intakeMessage.parse({
    ...intakeExamples['run.settled'],
    run: { ...intakeExamples['run.settled'].run, ...run },
  });
const settled = (id: string) => settledWith({ id });
const eventId = expect.stringMatching(/^evt_/);
const throttled = new Error('throttled');
const fails = () => Promise.reject(throttled);

/** The intake over a table in this process, with a record of everything it did. */
class Intake {
  readonly clock = createClock(startOfTest);
  /** Milliseconds that each request of the table takes. */
  requestTakes = 0;
  readonly store: ReturnType<typeof recordStore>;
  /** What it sent to each queue. */
  readonly queued: (readonly DueAttempt[])[] = [];
  readonly slowQueued: (readonly DueAttempt[])[] = [];
  /** The requests of the table, such as `update RUN`. */
  readonly asked: string[] = [];
  readonly #reports = createReports();
  readonly #accept: ReturnType<typeof acceptIntake>;

  /** @param failing the request of the table that fails */
  constructor(endpoints: readonly Endpoint[] = both, deps: Partial<Deps> = {}, failing?: string) {
    this.store = recordStore({
      endpoints,
      asking: (request) => {
        this.asked.push(request);
        this.clock.pass(this.requestTakes);
        if (request === failing) throw throttled;
      },
    });
    this.store.records.addCustomer(customerId);
    this.#accept = acceptIntake({
      now: this.clock.now,
      baseUrl: 'https://api.example.com',
      report: this.#reports.report,
      ...this.store.ports,
      enqueueAttempts: async (due, lane) => {
        (lane === 'slow' ? this.slowQueued : this.queued).push(due);
        return [];
      },
      ...deps,
    });
  }

  accept(...messages: readonly IntakeMessage[]) {
    return this.#accept(messages, this.timeLeft);
  }

  readonly timeLeft = () => startOfTest + 30_000 - this.clock.now();

  /** The partition and the kind of each row about a result. */
  get stored(): readonly string[] {
    const rows = this.store.records.rows().filter(({ pk }) => /^(RUN|TRK|CHG|CRE)#/.test(String(pk)));
    return rows.map(({ pk, sk, settled }) => `${pk} ${settled ? 'settled' : String(sk).split('#')[0]}`);
  }

  /** How often the table was asked for this. */
  count(request: string): number {
    return this.asked.filter((each) => each === request).length;
  }

  get deliveries() {
    return this.store.deliveries.all();
  }

  get bodies() {
    return this.deliveries.map(({ body }) => JSON.parse(body));
  }

  /** What was reported about each batch. */
  get batches() {
    return this.#reports.events.filter(({ name }) => name === 'intake.done');
  }

  /** Everything else that was reported. */
  get events() {
    return this.#reports.events.filter(({ name }) => name !== 'intake.done');
  }
}

describe('acceptIntake() about a settled Run', () => {
  it('makes one event, makes one pending delivery for each active endpoint, and queues their first attempts', async () => {
    const intake = new Intake([...both, buildEndpoint({ id: 'whe_failed', status: 'failed' })]);

    expect(await intake.accept(parsed('run.settled'))).toEqual(['done']);

    const made = intake.deliveries;
    expect(made.map((delivery) => delivery.webhookId).sort()).toEqual([webhookId, otherWebhookId].sort());
    const pending = { customerId, status: 'pending', attempts: 0, replayOf: null, body: made[0]?.body };
    expect(made).toMatchObject([pending, pending]);
    // New deliveries are left to the queue, not to the sweep.
    expect(made.map(({ id }) => intake.store.deliveries.dueAt(id))).toEqual([null, null]);
    const due = made.map(({ id, webhookId: of }) => ({ key: { customerId, webhookId: of, id }, attempt: 1 }));
    expect(intake.queued).toEqual([due]);
    expect(made.map(({ id }) => idTime(id))).toEqual([startOfTest, startOfTest]);
    // A customer with endpoints exists.
    expect(intake.count('get CUS')).toBe(0);
  });

  it('spreads deliveries over the partitions of their endpoint', async () => {
    const intake = new Intake([buildEndpoint({ deliveryPartitions: 32 })]);

    await intake.accept(...Array.from({ length: 100 }, (_, number) => settled(`run_${number}`)));

    const partitions = new Set(intake.deliveries.map(({ id }) => deliveryPartition(id)));
    expect(partitions.size).toBeGreaterThan(25);
  });

  // test/unit/docs/events.test.ts has the bodies of all events.
  it('sends what the message says', async () => {
    const intake = new Intake();

    await intake.accept(settledWith({ status: 'partial', tracker_id: 'trk_1' }));

    const [body] = intake.bodies;
    const head = { id: body.id, createdAt: startOfTest };
    const run = { id: 'run_1', kind: 'search', status: 'partial', chargeUsd: 0.02, trackerId: 'trk_1' };
    expect(body).toEqual(JSON.parse(runCompletedBody(head, run, 'https://api.example.com')));
    expect(body.id).toEqual(eventId);
  });
});

describe('acceptIntake() about a Change Report', () => {
  it('makes one event that names Tracker, Run and report, and settles the Run without a second event', async () => {
    const intake = new Intake();

    expect(await intake.accept(parsed('change_report.written'))).toEqual(['done']);

    const run = intake.store.records.rows().find(({ pk }) => pk === `RUN#${customerId}#run_2`)?.settled;
    expect(JSON.parse(String(run))).toMatchObject({ tracker_id: 'trk_1' });
    const told = { type: 'tracker.changed', run_id: 'run_2', tracker_id: 'trk_1', change_report_id: 'chg_1' };
    expect(intake.bodies).toMatchObject([told, told]);
  });

  it('makes one event in addition to the event of its Run, in any order of the messages', async () => {
    const report = parsed('change_report.written');
    const cycle = settledWith({ ...intakeExamples['change_report.written'].run, tracker_id: 'trk_1' });
    const deliveriesAfter = async (...messages: readonly IntakeMessage[]) => {
      const intake = new Intake();
      await intake.accept(...messages);
      return intake.deliveries.map(({ id, event }) => `${event.type} ${id}`).sort();
    };

    const made = await deliveriesAfter(report, cycle);

    const types = ['run.completed', 'run.completed', 'tracker.changed', 'tracker.changed'];
    expect(made.map((each) => each.split(' ')[0])).toEqual(types);
    expect(await deliveriesAfter(cycle, report)).toEqual(made);
  });
});

describe('acceptIntake() about a message that repeats', () => {
  it.each(['run.settled', 'change_report.written'] as const)(
    'makes the same event and the same deliveries, also after endpoints were added and deleted: %s',
    async (type) => {
      const intake = new Intake();
      await intake.accept(parsed(type));
      const before = intake.deliveries;

      intake.clock.pass(5 * minute);
      intake.store.endpoints.put(buildEndpoint({ status: 'deleted' }));
      intake.store.endpoints.put(buildEndpoint({ id: 'whe_later' }));

      expect(await intake.accept(parsed(type))).toEqual(['done']);
      expect(intake.deliveries).toEqual(before);
      expect(intake.queued[1]).toEqual(intake.queued[0]);
    },
  );

  it('keeps the Run as it first settled', async () => {
    const intake = new Intake();
    await intake.accept(parsed('run.settled'));
    const before = intake.deliveries;

    await intake.accept(settledWith({ status: 'failed', charge_usd: 9 }));

    expect(intake.deliveries).toEqual(before);
  });

  it.each(['change_report.written', 'run.settled'] as const)(
    'tells of a Run as it first settled, whatever a later message says of it: by %s',
    async (first) => {
      const written = intakeExamples['change_report.written'];
      const { id: run_id, status, charge_usd } = written.run;
      const as = (other: object) => ({
        'change_report.written': intakeMessage.parse({ ...written, run: { ...written.run, ...other } }),
        'run.settled': settledWith({ ...written.run, tracker_id: 'trk_1', ...other }),
      });
      const later = first === 'run.settled' ? 'change_report.written' : 'run.settled';
      const intake = new Intake([buildEndpoint()]);
      await intake.accept(as({})[first]);

      await intake.accept(as({ status: 'failed', charge_usd: 9 })[later]);

      const told = { run_id, status, charge_usd, tracker_id: 'trk_1' };
      expect(intake.bodies).toMatchObject([told, told]);
    },
  );

  it('queues only the deliveries again that were not attempted meanwhile', async () => {
    const intake = new Intake();
    await intake.accept(parsed('run.settled'));
    for (const delivery of intake.deliveries.slice(0, 1)) intake.store.deliveries.put({ ...delivery, attempts: 1 });

    expect(await intake.accept(parsed('run.settled'))).toEqual(['done']);
    expect(intake.queued[1]).toEqual(intake.queued[0]?.slice(1));
  });

  it('stores the bytes of the first delivery for every endpoint, even if this release would write others', async () => {
    const intake = new Intake();
    await intake.accept(parsed('run.settled'));
    const [first, other] = intake.deliveries;
    const earlier = `${first?.body} `;
    const upgraded = new Intake();
    if (first !== undefined) upgraded.store.deliveries.put({ ...first, body: earlier });

    await upgraded.accept(parsed('run.settled'));

    expect(upgraded.deliveries.map(({ id, body }) => [id, body])).toEqual([
      [first?.id, earlier],
      [other?.id, earlier],
    ]);
  });

  it('makes one event for every Run of a batch, and queues all at once', async () => {
    const intake = new Intake();
    const copies = Array.from({ length: 20 }, () => settled('run_a'));

    const results = await intake.accept(...copies, settled('run_b'));

    expect(new Set(results)).toEqual(new Set(['done']));
    expect(intake.deliveries).toHaveLength(4);
    expect(new Set(intake.bodies.map(({ id }) => id)).size).toBe(2);
    expect(intake.queued).toHaveLength(1);
  });
});

it.each([
  ['run.saved', [`RUN#${customerId}#run_1 RUN`]],
  ['run.items_saved', [`RUN#${customerId}#run_1 ITEM`, `RUN#${customerId}#run_1 VERSION`]],
  ['tracker.saved', [`TRK#${customerId}#trk_1 TRACKER`]],
  ['creator_videos.saved', [`CRE#${customerId}#tiktok#maker VIDEO`]],
] as const)('acceptIntake() stores what %s says, which has no event, and queues nothing', async (type, rows) => {
  const intake = new Intake();

  expect(await intake.accept(parsed(type))).toEqual(['done']);
  expect([intake.stored, intake.queued]).toEqual([rows, []]);
});

describe('acceptIntake() with a slow endpoint', () => {
  const withOneSlow = [buildEndpoint({ slowSince: startOfTest }), buildEndpoint({ id: otherWebhookId })];

  it.each(['run.settled', 'change_report.written'] as const)(
    'queues its attempts in the slow lane, and the others in the ordinary one: %s',
    async (type) => {
      const intake = new Intake(withOneSlow);

      expect(await intake.accept(parsed(type))).toEqual(['done']);
      expect(intake.slowQueued).toMatchObject([[{ key: { webhookId } }]]);
      expect(intake.queued).toMatchObject([[{ key: { webhookId: otherWebhookId } }]]);
    },
  );

  it('keeps a message when the slow queue fails, although the other attempt is queued', async () => {
    const enqueued: Lane[] = [];
    const enqueueAttempts: EnqueueAttempts = async (_, lane) => {
      if (lane === 'slow') throw throttled;
      enqueued.push(lane);
      return [];
    };
    const intake = new Intake(withOneSlow, { enqueueAttempts });

    expect(await intake.accept(parsed('run.settled'))).toEqual(['retry']);
    expect(enqueued).toEqual(['ordinary']);
    expect(intake.events).toMatchObject([{ name: 'step.failed', step: 'enqueue' }]);
  });
});

describe('acceptIntake() about its log', () => {
  it('reports one line for a batch: the result of each message, and the event of each that has one', async () => {
    const intake = new Intake();

    await intake.accept(settled('run_a'), parsed('tracker.saved'), parsed('change_report.written'));

    const event = { customerId, deliveries: 2, isRepeated: false };
    const events = [
      { ...event, event: { id: eventId, type: 'run.completed', runId: 'run_a' } },
      { ...event, event: { id: eventId, type: 'tracker.changed', runId: 'run_2' } },
    ];
    const results = ['accepted', 'accepted', 'accepted'];
    expect(intake.batches).toEqual([{ name: 'intake.done', results, events }]);
  });

  it('reports a repeated message with its first event, also when nobody listens', async () => {
    const intake = new Intake([]);

    await intake.accept(settled('run_a'));
    intake.clock.pass(minute);
    await intake.accept(settled('run_a'));

    const [first, second] = intake.batches;
    expect(first).toMatchObject({ results: ['accepted'], events: [{ deliveries: 0, isRepeated: false }] });
    expect(second).toMatchObject({ results: ['repeated'], events: [{ deliveries: 0, isRepeated: true }] });
    expect(JSON.stringify(second)).toContain(/evt_\w+/.exec(JSON.stringify(first))?.[0]);
  });

  it('names no event of a message that is received again', async () => {
    const intake = new Intake(both, { enqueueAttempts: async (due) => due });

    await intake.accept(settled('run_a'));

    expect(intake.batches).toEqual([{ name: 'intake.done', results: ['retried'], events: [] }]);
  });
});

describe('acceptIntake() about a customer that does not exist', () => {
  const ofStranger = (type: MessageType) => intakeMessage.parse({ ...intakeExamples[type], customer_id: 'cus_nobody' });

  it.each(Object.values(intakeExamples).map(({ type }) => type))(
    'refuses %s, stores nothing and reports it once',
    async (type) => {
      const intake = new Intake();

      expect(await intake.accept(ofStranger(type))).toEqual([{ refused: 'unknown_customer' }]);
      expect(intake.events).toMatchObject([{ name: 'unknown_customer', type, customerId: 'cus_nobody' }]);
      expect(intake.batches).toEqual([{ name: 'intake.done', results: ['unknown_customer'], events: [] }]);
      expect([intake.stored, intake.deliveries]).toEqual([[], []]);
    },
  );

  it('processes the messages of other customers, and reads each customer of a batch once', async () => {
    const intake = new Intake();

    const results = await intake.accept(...[parsed('run.saved'), ofStranger('run.settled'), parsed('tracker.saved')]);

    expect(results).toEqual(['done', { refused: 'unknown_customer' }, 'done']);
    // One that seems not to exist is read again, strongly consistent.
    expect(intake.count('get CUS')).toBe(1 + 2);
  });
});

describe('acceptIntake() about several events of a customer', () => {
  it('reads the endpoints once for a batch, and again for a repeat of its messages', async () => {
    const intake = new Intake();
    const batch = [settled('run_a'), parsed('change_report.written'), settled('run_b')];

    await intake.accept(...batch);
    expect(intake.count('query CUS')).toBe(1);
    await intake.accept(...batch);

    expect(intake.count('query CUS')).toBe(2);
  });
});

describe('acceptIntake() when a part of the service fails', () => {
  it.each([
    ['get CUS', 'run.saved'],
    ['update RUN', 'run.saved'],
    ['batch write', 'run.items_saved'],
    ['query CUS', 'run.settled'],
    ['update RUN', 'run.settled'],
    ['put DLV', 'run.settled'],
    ['put TRK', 'tracker.saved'],
    ['update RUN', 'change_report.written'],
    ['put CHG', 'change_report.written'],
    ['put CRE', 'creator_videos.saved'],
  ] as const)('returns the message to the queue when %s fails, and reports it', async (failing, type) => {
    const intake = new Intake(both, {}, failing);
    const runId = /^run/.test(type) ? { runId: 'run_1' } : /^change/.test(type) ? { runId: 'run_2' } : {};

    expect(await intake.accept(parsed(type))).toEqual(['retry']);
    expect(intake.events).toEqual([
      { name: 'step.failed', step: `intake ${type}`, subject: { customerId, ...runId }, cause: throttled },
    ]);
    expect(intake.batches).toEqual([{ name: 'intake.done', results: ['retried'], events: [] }]);
    expect(intake.queued).toEqual([]);
  });

  it.each(['run.items_saved', 'creator_videos.saved'] as const)(
    'returns a message of %s that takes too long, and queues the attempts of the others before the function ends',
    async (type) => {
      const intake = new Intake();
      intake.requestTakes = 100;
      const videos = Array.from({ length: 500 }, (_, index) => buildVideo({ id: `video_${index}` }));
      const long = intakeMessage.parse({ ...intakeExamples[type], items: videos, videos });

      const results = await intake.accept(long, settled('run_a'));

      expect(results).toEqual(['retry', 'done']);
      expect(intake.queued.flat()).toHaveLength(2);
      expect(intake.timeLeft()).toBeGreaterThan(0);
    },
  );

  it('returns only the messages whose attempts the queue refused', async () => {
    const intake = new Intake(both, { enqueueAttempts: async (messages) => messages.slice(2, 3) });

    const results = await intake.accept(settled('run_a'), settled('run_b'), parsed('run.saved'));

    expect(results).toEqual(['done', 'retry', 'done']);
  });

  it('returns every message with attempts while the queue cannot be reached', async () => {
    const intake = new Intake(both, { enqueueAttempts: fails });

    expect(await intake.accept(settled('run_a'), parsed('run.saved'))).toEqual(['retry', 'done']);
    expect(intake.events).toMatchObject([{ name: 'step.failed', step: 'enqueue' }]);
  });
});

import type { RecentCache } from '#shared/aws/recent-cache.ts';
import { isCustomerKnown } from '#shared/aws/table/credentials/customers.ts';
import { listListeners } from '#shared/aws/table/endpoints/endpoints.ts';
import { storeOpenRun, storeSettledRun, storeSettledRunWithFanOut } from '#shared/aws/table/results/runs.ts';
import { storeChangeReport, storeTracker } from '#shared/aws/table/results/trackers.ts';
import { storeCreatorVideos, storeRunItems } from '#shared/aws/table/results/videos.ts';
import type { IntakeMessage } from '#shared/contract/messages/intake-message.ts';
import type { SettledRun } from '#shared/contract/records/given-results.ts';
import type { StoredSettledRun } from '#shared/contract/records/stored-results.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import { type EventRun, runCompletedBody, trackerChangedBody } from '#shared/domain/event.ts';
import { type FanOut, type Listener, planFanOut } from '#shared/domain/fan-out.ts';
import { type Lane, lanes } from '#shared/domain/lane.ts';
import type { Needs } from '#shared/operations/needs.ts';
import type { MessageResult, Refusal, TimeLeft } from '#shared/operations/ports.ts';
import type { IntakeResult, LoggedSubject, TelemetryEvent } from '#shared/operations/telemetry-event.ts';
import { type Effects, fanOutEffects, type Queueable } from './fan-out-effects.ts';

type Deps = Pick<Needs, 'table' | 'now' | 'baseUrl' | 'enqueueAttempts' | 'report'> & {
  /** What `isCustomerKnown()` remembers. */
  readonly knownCustomers: RecentCache<true>;
};

/**
 * Milliseconds of the function that storing leaves for the requests under way and the queues. A message that takes longer
 * returns: if the function ended, no event of its batch would be queued for minutes.
 */
const timeToQueue = 5_000;

/** What the messages of a batch share: what they read together, and until when they may store. */
type Batch = Deps & {
  readonly mayContinue: () => boolean;
  readonly isKnown: (customerId: string) => Promise<boolean>;
  readonly listenersOf: (customerId: string) => Promise<readonly Listener[]>;
};

type Stored = Effects & { readonly result: MessageResult | Refusal };

/**
 * Stores the results of a batch of intake messages, then queues the first attempts of all their events together. A
 * message is done when all its effects are stored and queued; a repeat changes nothing. A message about an unknown
 * customer is refused and stores no data.
 *
 * @returns one result for each message, in order
 */
export function acceptIntake(deps: Deps) {
  return async (
    messages: readonly IntakeMessage[],
    timeLeft: TimeLeft,
  ): Promise<readonly (MessageResult | Refusal)[]> => {
    const batch = {
      ...deps,
      mayContinue: () => timeLeft() > timeToQueue,
      isKnown: oncePerCustomer((id) => isCustomerKnown(deps.table, deps.knownCustomers, id)),
      listenersOf: oncePerCustomer((id) => listListeners(deps.table, id)),
    };
    const stored = await Promise.all(messages.map((message) => storeGuarded(batch, message)));
    const due = stored.flatMap(({ deliveries = [] }) => deliveries);
    const notQueued = new Set(await enqueue(deps, due));
    const finished = stored.map(
      (message): Stored => (message.deliveries?.some(({ due }) => notQueued.has(due)) ? { result: 'retry' } : message),
    );
    deps.report(batchReport(finished));
    return finished.map(({ result }) => result);
  };
}

/**
 * A batch reads what belongs to a customer once. Its messages begin together, so each of them would read at the same
 * moment; a repeated message is in another batch and reads again.
 */
function oncePerCustomer<T>(read: (customerId: string) => Promise<T>): (customerId: string) => Promise<T> {
  const asked = new Map<string, Promise<T>>();
  return (customerId) => {
    const answer = asked.get(customerId) ?? read(customerId);
    asked.set(customerId, answer);
    return answer;
  };
}

/** One event for the whole batch: a line for each message would cost as much as the line of its attempt. */
function batchReport(finished: readonly Stored[]): TelemetryEvent {
  return {
    name: 'intake.done',
    results: finished.map(resultOf),
    events: finished.flatMap(({ event }) => event ?? []),
  };
}

function resultOf({ result, event }: Stored): IntakeResult {
  if (result === 'retry') return 'retried';
  if (result !== 'done') return 'unknown_customer';
  return event?.isRepeated ? 'repeated' : 'accepted';
}

async function storeGuarded(batch: Batch, message: IntakeMessage): Promise<Stored> {
  const { type } = message;
  try {
    if (await isOfCustomer(batch, message)) return { result: 'done', ...(await store(batch, message)) };
    batch.report({ name: 'unknown_customer', type, ...subjectOf(message) });
    return { result: { refused: 'unknown_customer' } };
  } catch (cause) {
    batch.report({ name: 'step.failed', step: `intake ${type}`, subject: subjectOf(message), cause });
    return { result: 'retry' };
  }
}

/** The ids by which a line about a message is found. */
function subjectOf(message: IntakeMessage): LoggedSubject {
  const customerId = message.customer_id;
  if ('run' in message) return { customerId, runId: message.run.id };
  return 'run_id' in message ? { customerId, runId: message.run_id } : { customerId };
}

/**
 * Whether the customer of a message exists. An endpoint proves it, and a Run that settles reads the endpoints anyway, so
 * an ordinary event costs no read of its customer.
 */
async function isOfCustomer(batch: Batch, { type, customer_id: customerId }: IntakeMessage): Promise<boolean> {
  if (type === 'run.settled' && (await batch.listenersOf(customerId)).length > 0) return true;
  return await batch.isKnown(customerId);
}

async function enqueue(deps: Deps, deliveries: readonly Queueable[]): Promise<readonly DueAttempt[]> {
  const inLane = (wanted: Lane) => deliveries.filter(({ lane }) => lane === wanted).map(({ due }) => due);
  const refused = await Promise.all(lanes.map((lane) => send(deps, inLane(lane), lane)));
  return refused.flat();
}

async function send(deps: Deps, due: readonly DueAttempt[], lane: Lane): Promise<readonly DueAttempt[]> {
  if (due.length === 0) return [];
  try {
    return await deps.enqueueAttempts(due, lane);
  } catch (cause) {
    deps.report({ name: 'step.failed', step: 'enqueue', cause });
    return due;
  }
}

const withoutEvent: Effects = {};

async function store(batch: Batch, message: IntakeMessage): Promise<Effects> {
  const { table, mayContinue } = batch;
  const { customer_id } = message;
  switch (message.type) {
    case 'run.saved':
      await storeOpenRun(table, customer_id, message.run);
      return withoutEvent;
    case 'run.items_saved':
      await storeRunItems(table, customer_id, message.run_id, message.items, mayContinue);
      return withoutEvent;
    case 'run.settled':
      return settleRun(batch, customer_id, message.run);
    case 'tracker.saved':
      await storeTracker(table, customer_id, message.tracker);
      return withoutEvent;
    case 'change_report.written':
      return writeChangeReport(batch, message);
    case 'creator_videos.saved':
      await storeCreatorVideos(table, customer_id, message, message.videos, mayContinue);
      return withoutEvent;
  }
}

async function settleRun(batch: Batch, customerId: string, settled: SettledRun): Promise<Effects> {
  const endpoints = await batch.listenersOf(customerId);
  const planned = planFanOut(customerId, 'run.completed', settled.id, endpoints, batch.now());
  const { run, fanOut } = await storeSettledRunWithFanOut(batch.table, customerId, settled, planned);
  const body = runCompletedBody(eventHead(fanOut), eventRun(run), batch.baseUrl);
  const event = { customerId, type: 'run.completed', runId: run.id, body } as const;
  return fanOutEffects(batch.table, { ...event, planned, fanOut, endpoints });
}

async function writeChangeReport(
  batch: Batch,
  message: Extract<IntakeMessage, { type: 'change_report.written' }>,
): Promise<Effects> {
  const { customer_id: customerId, tracker_id: trackerId, change_report: report } = message;
  const [run, endpoints] = await Promise.all([
    storeSettledRun(batch.table, customerId, { ...message.run, tracker_id: trackerId }, report.id),
    batch.listenersOf(customerId),
  ]);
  const planned = planFanOut(customerId, 'tracker.changed', report.id, endpoints, batch.now());
  const given = { trackerId, report, run: eventRun(run) };
  const first = await storeChangeReport(batch.table, customerId, given, planned);
  const { fanOut } = first;
  const about = { ...first.run, trackerId: first.trackerId };
  const body = trackerChangedBody(eventHead(fanOut), about, report.id, batch.baseUrl);
  const event = { customerId, type: 'tracker.changed', runId: about.id, body } as const;
  return fanOutEffects(batch.table, { ...event, planned, fanOut, endpoints });
}

function eventHead(fanOut: FanOut) {
  return { id: fanOut.eventId, createdAt: fanOut.acceptedAt };
}

function eventRun(run: StoredSettledRun): EventRun {
  return {
    id: run.id,
    kind: run.kind,
    status: run.status,
    chargeUsd: run.charge_usd,
    trackerId: run.tracker_id,
  };
}

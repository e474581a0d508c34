import type { IntakeMessage } from '#shared/contract/messages/intake-message.ts';
import type { GivenTracker, OpenRun, SettledRun, VideoItem } from '#shared/contract/records/given-results.ts';
import type { StoredChangeReport, StoredSettledRun } from '#shared/contract/records/stored-results.ts';
import type { Creator } from '#shared/domain/creator.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import { type EventRun, runCompletedBody, trackerChangedBody } from '#shared/domain/event.ts';
import { type FanOut, type Listener, planFanOut } from '#shared/domain/fan-out.ts';
import { type Lane, lanes } from '#shared/domain/lane.ts';
import type {
  Clock,
  EnqueueAttempts,
  IsCustomerKnown,
  MessageResult,
  Refusal,
  Report,
  StoreDelivery,
} from '#shared/operations/ports.ts';
import { type Effects, fanOutEffects, type Queueable } from './fan-out-effects.ts';
import { oncePerCustomer } from './once-per-customer.ts';
import { batchReport, type Stored, subjectOf } from './report-batch.ts';

/** The endpoints that a customer holds; strongly consistent. */
export type ListListeners = (customerId: string) => Promise<readonly Listener[]>;

/** Stores a Run that is queued or running; a settled one stays unchanged. */
export type StoreOpenRun = (customerId: string, run: OpenRun) => Promise<void>;

/**
 * Settles a Run unless it is settled.
 *
 * @param reportId the Change Report that the Run wrote; the Run then names it, so that its event is found by the Run
 * @returns the settled Run as stored
 */
export type StoreSettledRun = (
  customerId: string,
  run: SettledRun,
  reportId?: string,
) => Promise<StoredSettledRun>;

/** Settles a Run together with the fan-out of its event, unless it has one. @returns both as stored */
export type StoreSettledRunWithFanOut = (
  customerId: string,
  run: SettledRun,
  fanOut: FanOut,
) => Promise<{ readonly run: StoredSettledRun; readonly fanOut: FanOut }>;

/** Adds items to a Run. The first stored version of each video stays. */
export type StoreRunItems = (customerId: string, runId: string, items: readonly VideoItem[]) => Promise<void>;

/** Stores a Tracker, replacing an earlier version. */
export type StoreTracker = (customerId: string, tracker: GivenTracker) => Promise<void>;

/** The contents of a message about a Change Report. */
export type GivenReport = {
  readonly trackerId: string;
  readonly report: StoredChangeReport;
  /** The Run that found the change. */
  readonly run: EventRun;
};

/**
 * Stores a Change Report with the fan-out of its event, unless its id is stored: a second message with the same id
 * creates neither another report nor another event.
 *
 * @returns the facts of the event and its fan-out, from the first message
 */
export type StoreChangeReport = (
  customerId: string,
  given: GivenReport,
  fanOut: FanOut,
) => Promise<Pick<GivenReport, 'trackerId' | 'run'> & { readonly fanOut: FanOut }>;

/** Adds or updates stored videos of a creator; an empty list makes the creator known. */
export type StoreCreatorVideos = (
  customerId: string,
  creator: Creator,
  videos: readonly VideoItem[],
) => Promise<void>;

type Deps = {
  readonly now: Clock;
  /** Public address of the API without a trailing slash. */
  readonly baseUrl: string;
  readonly isCustomerKnown: IsCustomerKnown;
  readonly listLiveEndpoints: ListListeners;
  readonly storeOpenRun: StoreOpenRun;
  readonly storeSettledRun: StoreSettledRun;
  readonly storeSettledRunWithFanOut: StoreSettledRunWithFanOut;
  readonly storeRunItems: StoreRunItems;
  readonly storeTracker: StoreTracker;
  readonly storeChangeReport: StoreChangeReport;
  readonly storeCreatorVideos: StoreCreatorVideos;
  readonly storeDelivery: StoreDelivery;
  readonly enqueueAttempts: EnqueueAttempts;
  readonly report: Report;
};

/**
 * Stores the results of a batch of intake messages, then queues the first attempts of all their events together. A
 * message is done when all its effects are stored and queued; a repeat changes nothing. A message about an unknown
 * customer is refused and stores no data.
 *
 * @returns one result for each message, in order
 */
export function acceptIntake(deps: Deps) {
  return async (messages: readonly IntakeMessage[]): Promise<readonly (MessageResult | Refusal)[]> => {
    const batch = {
      ...deps,
      isCustomerKnown: oncePerCustomer(deps.isCustomerKnown),
      listLiveEndpoints: oncePerCustomer(deps.listLiveEndpoints),
    };
    const stored = await Promise.all(messages.map((message) => storeGuarded(batch, message)));
    const due = stored.flatMap(({ deliveries = [] }) => deliveries);
    const notQueued = new Set(await enqueue(deps, due));
    const finished = stored.map(
      (message): Stored =>
        message.deliveries?.some(({ due }) => notQueued.has(due)) ? { result: 'retry' } : message,
    );
    deps.report(batchReport(finished));
    return finished.map(({ result }) => result);
  };
}

async function storeGuarded(deps: Deps, message: IntakeMessage): Promise<Stored> {
  const { type } = message;
  try {
    if (await isOfCustomer(deps, message)) return { result: 'done', ...(await store(deps, message)) };
    deps.report({ name: 'unknown_customer', type, ...subjectOf(message) });
    return { result: { refused: 'unknown_customer' } };
  } catch (cause) {
    deps.report({ name: 'step.failed', step: `intake ${type}`, subject: subjectOf(message), cause });
    return { result: 'retry' };
  }
}

/**
 * Whether the customer of a message exists. An endpoint proves it, and a Run that settles reads the endpoints anyway, so
 * an ordinary event costs no read of its customer.
 */
async function isOfCustomer(deps: Deps, { type, customer_id: customerId }: IntakeMessage): Promise<boolean> {
  if (type === 'run.settled' && (await deps.listLiveEndpoints(customerId)).length > 0) return true;
  return await deps.isCustomerKnown(customerId);
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

async function store(deps: Deps, message: IntakeMessage): Promise<Effects> {
  const { customer_id } = message;
  switch (message.type) {
    case 'run.saved':
      await deps.storeOpenRun(customer_id, message.run);
      return withoutEvent;
    case 'run.items_saved':
      await deps.storeRunItems(customer_id, message.run_id, message.items);
      return withoutEvent;
    case 'run.settled':
      return settleRun(deps, customer_id, message.run);
    case 'tracker.saved':
      await deps.storeTracker(customer_id, message.tracker);
      return withoutEvent;
    case 'change_report.written':
      return writeChangeReport(deps, message);
    case 'creator_videos.saved':
      await deps.storeCreatorVideos(customer_id, message, message.videos);
      return withoutEvent;
  }
}

async function settleRun(deps: Deps, customerId: string, settled: SettledRun): Promise<Effects> {
  const endpoints = await deps.listLiveEndpoints(customerId);
  const planned = planFanOut(customerId, 'run.completed', settled.id, endpoints, deps.now());
  const { run, fanOut } = await deps.storeSettledRunWithFanOut(customerId, settled, planned);
  const body = runCompletedBody(eventHead(fanOut), eventRun(run), deps.baseUrl);
  const event = { customerId, type: 'run.completed', runId: run.id, body } as const;
  return fanOutEffects(deps.storeDelivery, { ...event, planned, fanOut, endpoints });
}

async function writeChangeReport(
  deps: Deps,
  message: Extract<IntakeMessage, { type: 'change_report.written' }>,
): Promise<Effects> {
  const { customer_id: customerId, tracker_id: trackerId, change_report: report } = message;
  const [run, endpoints] = await Promise.all([
    deps.storeSettledRun(customerId, { ...message.run, tracker_id: trackerId }, report.id),
    deps.listLiveEndpoints(customerId),
  ]);
  const planned = planFanOut(customerId, 'tracker.changed', report.id, endpoints, deps.now());
  const given = { trackerId, report, run: eventRun(run) };
  const first = await deps.storeChangeReport(customerId, given, planned);
  const { fanOut } = first;
  const about = { ...first.run, trackerId: first.trackerId };
  const body = trackerChangedBody(eventHead(fanOut), about, report.id, deps.baseUrl);
  const event = { customerId, type: 'tracker.changed', runId: about.id, body } as const;
  return fanOutEffects(deps.storeDelivery, { ...event, planned, fanOut, endpoints });
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

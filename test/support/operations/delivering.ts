import type { PostResult } from '#shared/domain/attempt.ts';
import type { Delivery, DueAttempt } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { Lane } from '#shared/domain/lane.ts';
import type { AttemptDeps } from '#shared/operations/delivery/attempt-endpoint.ts';
import { deliverAttempts } from '#shared/operations/delivery/deliver-attempts.ts';
import type { ScheduleAttempt, TimeLeft } from '#shared/operations/ports.ts';
import { postTo, type SentRequest } from '../http/sent-request.ts';
import { memoryStore } from '../memory/memory-store.ts';
import {
  acknowledged,
  buildDelivery,
  buildEndpoint,
  customerId,
  openSealed,
  startOfTest,
} from '../values/builders.ts';
import { countingBytes, createClock, createJournal, createReports, createTimers } from './deps.ts';

type World = {
  readonly deliveries?: readonly Delivery[];
  readonly endpoints?: readonly Endpoint[];
  /** The receiver's answer; `acknowledged` by default. */
  readonly receiver?: (request: SentRequest) => PostResult | Promise<PostResult>;
  /** Called while the connection is opened, or the milliseconds that this takes; none by default. */
  readonly connecting?: number | (() => void);
  /** Milliseconds that the function has left; 30 seconds by default. */
  readonly timeLeft?: TimeLeft;
  readonly deps?: Partial<AttemptDeps>;
};

/** The delivery function over a table in memory, with a record of everything it did. */
export function createDelivering(given: World = {}) {
  const clock = createClock(startOfTest);
  const journal = createJournal();
  const reports = createReports();
  const { deliveries = [buildDelivery()], endpoints = [buildEndpoint()], connecting = 0 } = given;
  const store = memoryStore({ deliveries, endpoints });
  const { ports } = store;
  const timers = createTimers();
  const posts: SentRequest[] = [];
  const scheduled: { readonly due: DueAttempt; readonly at: number }[] = [];
  const lanes: Lane[] = [];
  const passedOn: DueAttempt[] = [];
  const noted: { readonly id: string; readonly at: number }[] = [];
  const scheduleAttempt: ScheduleAttempt = async (due, at, lane) => {
    scheduled.push({ due, at });
    lanes.push(lane);
  };
  const deps: AttemptDeps = {
    now: clock.now,
    monotonic: clock.now,
    dueToleranceMs: 0,
    serviceName: 'Service',
    standardWebhooks: true,
    randomBytes: countingBytes(),
    decryptSecret: openSealed,
    report: reports.report,
    readLiveEndpoint: ports.readLiveEndpoint,
    claimAttempt: journal.note('claim', ports.claimAttempt),
    releaseAttempt: journal.note('release', ports.releaseAttempt),
    recordAttempt: journal.note('record', ports.recordAttempt),
    cancelDelivery: journal.note('cancel', ports.cancelDelivery),
    scheduleAttempt: journal.note('schedule', scheduleAttempt),
    readAttemptTimes: ports.readAttemptTimes,
    noteLastDelivery: async (endpoint, at) => {
      noted.push({ id: endpoint.id, at });
      await ports.noteLastDelivery(endpoint, at);
    },
    after: timers.after,
    markSlow: journal.note('mark', ports.markSlow),
    clearSlow: journal.note('clear', ports.clearSlow),
    passOn: async (due) => {
      passedOn.push(...due);
      return [];
    },
    postEvent: postTo(
      journal.note('post', (request: SentRequest) => {
        posts.push(request);
        return (given.receiver ?? (() => acknowledged))(request);
      }),
      typeof connecting === 'number' ? () => clock.pass(connecting) : connecting,
    ),
    ...given.deps,
  };
  const deliver = deliverAttempts(deps);
  return {
    clock,
    ...store,
    posts,
    scheduled,
    /** The lane of each schedule. */
    lanes,
    passedOn,
    timers,
    noted,
    steps: journal.entries,
    events: reports.events,
    /** The only delivery, as it is stored. */
    stored: () => store.deliveries.all()[0],
    deliver: (batch: readonly DueAttempt[]) => deliver(batch, given.timeLeft ?? (() => 30_000)),
  };
}

/** An attempt of a delivery that has come due; the first one by default. */
export function dueFor(attempt = 1, delivery: Partial<Delivery> = {}): DueAttempt {
  const { webhookId, id } = buildDelivery(delivery);
  return { key: { customerId, webhookId, id }, attempt };
}

import {
  listCustomerIds,
  listEndpointsSince,
  markDue,
  readAuditedDeliveries,
  readAuditedDelivery,
  readAuditedReplay,
} from '#shared/aws/table/deliveries/audit-reads.ts';
import type { DeliveryKey, DeliveryStatus } from '#shared/domain/delivery.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import {
  type AuditedDelivery,
  type AuditedReplay,
  isStalled,
  type Progress,
  progressOf,
  type Span,
  sweepGrace,
} from '#shared/domain/progress.ts';
import type { Needs } from '#shared/operations/needs.ts';
import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';
import { AuditTally, maxListed } from './audit-tally.ts';
import { takeTurns } from './take-turns.ts';

/** Whether no queue that leads to an attempt holds a message: visible, delayed or in flight. */
export type AreQueuesEmpty = () => Promise<boolean>;

type Deps = Pick<Needs, 'table' | 'now' | 'report'> & { readonly areQueuesEmpty: AreQueuesEmpty };

export type AuditRequest = Span & {
  /** Whether stranded deliveries are marked as due for the sweep. */
  readonly requeue: boolean;
};

export type Audit = Span & {
  /** `false` when the time ended before everything was read. */
  readonly complete: boolean;
  /** Customers whose audit was begun and not finished: those with the most data. At most `maxListed`. */
  readonly unfinished: readonly string[];
  readonly deliveries: Readonly<Record<DeliveryStatus, number>>;
  readonly pending: Readonly<Record<Progress, number>>;
  readonly oldestPending: AuditedDelivery | null;
  readonly oldestStranded: AuditedDelivery | null;
  /** At most `maxListed`. */
  readonly stranded: readonly DeliveryKey[];
  /** How many stranded deliveries were marked as due for the sweep. */
  readonly requeued: number;
  /** Running bulk replays that nothing continues, whenever they were started. */
  readonly stalledReplays: readonly AuditedReplay[];
};

/**
 * Upper bound of the difference between two machines' clocks, in milliseconds. A delivery is created before its
 * endpoint is deleted, but each by its own clock.
 */
const clockDifference = 15 * 60_000;

/**
 * Customers that are audited concurrently, and reads of one customer per turn. A customer with five endpoints takes eleven
 * reads; one that keeps deleting endpoints takes many thousands.
 */
const turns = { concurrency: 25, steps: 25 };

/**
 * Audits every delivery of a span of time, by the keys of customers and endpoints, and classifies the progress of the
 * pending ones. A stranded delivery is a broken promise: it is counted, and marked as due for the sweep if
 * `request.requeue` is set. Of each endpoint, the running bulk replay is audited too.
 *
 * Customers take turns, and each audit begins with another customer, so that a customer with much data never hides the
 * others.
 *
 * @param mayContinue called before each read and delivery; once it returns `false`, the audit ends incomplete
 * @throws when a read or write failed, after everything else was audited
 */
export function auditDeliveries(deps: Deps) {
  return async (request: AuditRequest, mayContinue: () => boolean): Promise<Audit> => {
    // Checked before the deliveries are read: they show the effect of every message that was handled before the check.
    const queuesAreEmpty = await deps.areQueuesEmpty();
    const state = beginAudit(deps, request, mayContinue, queuesAreEmpty);
    const customerIds = await listCustomers(state);
    const works = rotatedByHour(customerIds, request.to).map((id) => auditCustomer(state, id));
    const failures = await takeTurns(works, { ...turns, mayContinue: state.mayContinue });
    // The other customers were audited, but the audit as a whole has failed.
    if (failures.length > 0) throw failures[0];
    return { from: request.from, to: request.to, ...state.result() };
  };
}

type AuditState = ReturnType<typeof beginAudit>;

function beginAudit(deps: Deps, request: AuditRequest, mayContinue: () => boolean, queuesAreEmpty: boolean) {
  const tally = new AuditTally();
  /** Customers whose audit was begun and is not finished. */
  const open = new Set<string>();
  let isCutShort = false;
  return {
    ...{ deps, request, queuesAreEmpty, tally, open },
    /** Once `false`, always `false`. */
    mayContinue: () => {
      isCutShort ||= !mayContinue();
      return !isCutShort;
    },
    result: () => ({
      complete: !isCutShort,
      unfinished: [...open].slice(0, maxListed),
      ...tally.result(),
    }),
  };
}

async function listCustomers({ deps, mayContinue }: AuditState): Promise<readonly string[]> {
  const listed: string[] = [];
  for await (const customerIds of listCustomerIds(deps.table)) {
    listed.push(...customerIds);
    if (!mayContinue()) break;
  }
  return listed;
}

const hour = 60 * 60_000;
/** Golden ratio: its multiples modulo 1 never come close to an earlier one. */
const goldenSection = (Math.sqrt(5) - 1) / 2;

/** Rotates the list to begin far from the positions of the previous hours. */
function rotatedByHour(list: readonly string[], time: number): readonly string[] {
  const start = Math.floor(((Math.floor(time / hour) * goldenSection) % 1) * list.length);
  return [...list.slice(start), ...list.slice(0, start)];
}

/** Audits one customer. Each read is a step. */
async function* auditCustomer(state: AuditState, customerId: string): AsyncGenerator<void> {
  const { deps, request, open } = state;
  open.add(customerId);
  const endpoints = await listEndpointsSince(deps.table, customerId, Math.max(0, request.from - clockDifference));
  const failures: unknown[] = [];
  for (const endpoint of endpoints) {
    yield;
    try {
      yield* auditEndpoint(state, endpoint);
    } catch (failure) {
      failures.push(failure);
    }
  }
  open.delete(customerId);
  if (failures.length > 0) throw failures[0];
}

async function* auditEndpoint(state: AuditState, endpoint: DeliveryHistory): AsyncGenerator<void> {
  const { deps, request } = state;
  for await (const page of readAuditedDeliveries(deps.table, endpoint, request)) {
    for (const delivery of page) {
      if (await auditDelivery(state, delivery)) yield;
    }
    yield;
  }
  await auditReplay(state, endpoint);
}

async function auditReplay({ deps, tally }: AuditState, endpoint: DeliveryHistory): Promise<void> {
  const replay = await readAuditedReplay(deps.table, endpoint);
  if (replay === null || !isStalled(replay, deps.now())) return;
  tally.stalledReplays.push(replay);
  deps.report({ name: 'replay.stalled', ...replay });
}

/** @returns whether the audit of this delivery took another request */
async function auditDelivery(state: AuditState, listed: AuditedDelivery): Promise<boolean> {
  const { deps, request, queuesAreEmpty, tally } = state;
  const judge = (delivery: AuditedDelivery) => progressOf(delivery, deps.now(), queuesAreEmpty);
  // The list may lag: read the delivery again before calling it stranded.
  const isSuspect = judge(listed) === 'stranded';
  const delivery = isSuspect ? await readAuditedDelivery(deps.table, listed.key) : listed;
  if (delivery === null) return isSuspect;
  const progress = judge(delivery);
  tally.count(delivery, progress);
  if (progress !== 'stranded') return isSuspect;
  deps.report({ name: 'delivery.stranded', delivery: delivery.key, createdAt: delivery.createdAt });
  // No timer is pending, so the grace does not apply: the next sweep queues the delivery.
  if (request.requeue && (await markDue(deps.table, delivery.key, deps.now() - sweepGrace))) tally.requeued += 1;
  return true;
}

/** What a finished audit logs and measures. @param now epoch milliseconds */
export function auditEvent(audit: Audit, now: number): TelemetryEvent {
  const { deliveries, pending, requeued, stalledReplays, oldestStranded, complete, unfinished } = audit;
  return {
    name: 'audit.done',
    deliveries,
    pending,
    requeued,
    stalledReplays: stalledReplays.length,
    oldestStranded: oldestStranded === null ? 0 : Math.round((now - oldestStranded.createdAt) / 1_000),
    complete,
    unfinished,
  };
}

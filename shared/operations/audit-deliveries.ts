import type { DeliveryStatus } from '../domain/delivery.ts';
import type { Endpoint } from '../domain/endpoint.ts';
import { type Prospect, type WakeUp, wakeUpOf } from '../domain/wake-up.ts';
import type { Clock, DeliveryKey, Report } from './ports.ts';
import { sweepGrace } from './sweep-waiting.ts';

/** Epoch milliseconds, both ends included: deliveries that were made in between. */
export type Span = { readonly from: number; readonly to: number };

export type AuditedEndpoint = Pick<Endpoint, 'customerId' | 'id' | 'deliveryPartitions'>;
export type AuditedDelivery = Prospect & { readonly key: DeliveryKey };

type Deps = {
  readonly now: Clock;
  /** All customers, some dozens at a time. */
  readonly listCustomerIds: () => AsyncIterable<readonly string[]>;
  /** Every endpoint that a customer holds or ever held. */
  readonly listEveryEndpoint: (customerId: string) => Promise<readonly AuditedEndpoint[]>;
  /** An endpoint's deliveries of a span of time, a page at a time; what was written just now may be missing. */
  readonly readProspects: (
    endpoint: AuditedEndpoint,
    span: Span,
  ) => AsyncIterable<readonly AuditedDelivery[]>;
  /** One delivery as it is now. */
  readonly readProspect: (key: DeliveryKey) => Promise<AuditedDelivery | null>;
  /** Whether neither the intake nor the delivery queue holds a message, be it visible, delayed or in flight. */
  readonly areQueuesEmpty: () => Promise<boolean>;
  /** Puts a delivery into the index that the sweep reads, unless it ended or is in there. @returns whether it did */
  readonly giveWakeUp: (key: DeliveryKey, wakeAt: number) => Promise<boolean>;
  readonly report: Report;
};

export type AuditRequest = Span & {
  /** Whether stranded deliveries are handed to the sweep. */
  readonly wake: boolean;
};

export type Audit = Span & {
  /** `false` when there was no time to look at everything. */
  readonly complete: boolean;
  readonly deliveries: Readonly<Record<DeliveryStatus, number>>;
  readonly pending: Readonly<Record<WakeUp, number>>;
  readonly oldestPending: AuditedDelivery | null;
  readonly oldestStranded: AuditedDelivery | null;
  /** The stranded ones, or the first of them when there are many. */
  readonly stranded: readonly DeliveryKey[];
  /** How many of them were handed to the sweep. */
  readonly woken: number;
};

/** More than a person wants to read; the count goes on. */
const mostListed = 100;

/**
 * Looks at every delivery of a span of time, by the keys of customers and endpoints, and tells what will go on with
 * those that are pending. A delivery that nothing will wake is a broken promise: it is counted, and handed to the
 * sweep if that is wished.
 *
 * @param mayContinue asked before each page and delivery; when it says no, the audit ends incomplete
 * @throws when a customer could not be looked at, once all others were
 */
export function auditDeliveries(deps: Deps) {
  return async (request: AuditRequest, mayContinue: () => boolean): Promise<Audit> => {
    // Before the deliveries are read: a message that went meanwhile has done something that they show.
    const queuesAreEmpty = await deps.areQueuesEmpty();
    const tally = new Tally();
    const progress = { deps, request, mayContinue, queuesAreEmpty, tally };
    let failure: PromiseRejectedResult | undefined;
    for await (const customerIds of deps.listCustomerIds()) {
      const results = await Promise.allSettled(customerIds.map((id) => auditCustomer(progress, id)));
      failure ??= results.find((result) => result.status === 'rejected');
      if (!mayContinue()) break;
    }
    // One that fails hides no other; then the audit as a whole has failed.
    if (failure !== undefined) throw failure.reason;
    return { from: request.from, to: request.to, complete: mayContinue(), ...tally.result() };
  };
}

type Progress = {
  readonly deps: Deps;
  readonly request: AuditRequest;
  readonly mayContinue: () => boolean;
  readonly queuesAreEmpty: boolean;
  readonly tally: Tally;
};

async function auditCustomer(progress: Progress, customerId: string): Promise<void> {
  const { deps, request, mayContinue } = progress;
  if (!mayContinue()) return;
  for (const endpoint of await deps.listEveryEndpoint(customerId)) {
    for await (const page of deps.readProspects(endpoint, request)) {
      for (const delivery of page) {
        if (!mayContinue()) return;
        await auditDelivery(progress, delivery);
      }
      if (!mayContinue()) return;
    }
  }
}

async function auditDelivery(progress: Progress, listed: AuditedDelivery): Promise<void> {
  const { deps, request, queuesAreEmpty, tally } = progress;
  const judge = (delivery: AuditedDelivery) => wakeUpOf(delivery, deps.now(), queuesAreEmpty);
  // The list may be behind: nobody is called stranded who is not so now.
  const isSuspect = judge(listed) === 'stranded';
  const delivery = isSuspect ? await deps.readProspect(listed.key) : listed;
  if (delivery === null) return;
  const wakeUp = judge(delivery);
  tally.count(delivery, wakeUp);
  if (wakeUp !== 'stranded') return;
  deps.report({ name: 'delivery.stranded', delivery: delivery.key, createdAt: delivery.createdAt });
  // No timer will fire that deserves grace, so the next sweep takes it.
  if (request.wake && (await deps.giveWakeUp(delivery.key, deps.now() - sweepGrace))) tally.woken += 1;
}

class Tally {
  woken = 0;
  readonly #deliveries = { pending: 0, delivered: 0, failed: 0 };
  readonly #pending = { in_flight: 0, waiting: 0, overdue: 0, queued: 0, stranded: 0 };
  readonly #stranded: DeliveryKey[] = [];
  #oldestPending: AuditedDelivery | null = null;
  #oldestStranded: AuditedDelivery | null = null;

  count(delivery: AuditedDelivery, wakeUp: WakeUp | 'ended'): void {
    this.#deliveries[delivery.status] += 1;
    if (wakeUp === 'ended') return;
    this.#pending[wakeUp] += 1;
    this.#oldestPending = older(this.#oldestPending, delivery);
    if (wakeUp !== 'stranded') return;
    this.#oldestStranded = older(this.#oldestStranded, delivery);
    if (this.#stranded.length < mostListed) this.#stranded.push(delivery.key);
  }

  result(): Omit<Audit, 'complete' | keyof Span> {
    return {
      deliveries: this.#deliveries,
      pending: this.#pending,
      oldestPending: this.#oldestPending,
      oldestStranded: this.#oldestStranded,
      stranded: this.#stranded,
      woken: this.woken,
    };
  }
}

function older(one: AuditedDelivery | null, other: AuditedDelivery): AuditedDelivery {
  return one !== null && one.createdAt <= other.createdAt ? one : other;
}

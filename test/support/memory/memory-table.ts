import type { ReportPlace } from '#shared/aws/table/change-report-item.ts';
import type { OpenRun } from '#shared/contract/records/given-results.ts';
import type { StoredSettledRun } from '#shared/contract/records/stored-results.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import type { Delivery, DeliveryKey } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { Clock } from '#shared/operations/ports.ts';
import { type ReportRow, storedDelivery, storedEndpoint } from './stored.ts';
import { Versions } from './versions.ts';

/** `dueAt`: the delivery's place in the index of waiting ones, or `null`. */
export type DeliveryRow = { readonly delivery: Delivery; readonly dueAt: number | null };

/** `leaseUntil`: until when a worker holds the step; `null` when none does. `claimedAt`: when one last took a step. */
export type BulkReplayRow = {
  readonly job: BulkReplay;
  readonly leaseUntil: number | null;
  readonly claimedAt: number | null;
};

export type RunRow = {
  readonly open: OpenRun | null;
  readonly settled: StoredSettledRun | null;
  readonly fanOut: FanOut | null;
};

/** Called for every write, at the moment of its effect. */
export type TableObserver = {
  /** Called first, with the written value and the value that is read back. */
  readonly onStored: (kind: string, written: unknown, read: unknown) => void;
  readonly onDelivery: (before: DeliveryRow | null, after: DeliveryRow) => void;
  readonly onEndpoints: (customerId: string) => void;
  readonly onFanOut: (customerId: string, subjectId: string, fanOut: FanOut) => void;
};

const unobserved: TableObserver = { onStored() {}, onDelivery() {}, onEndpoints() {}, onFanOut() {} };

/** What one customer holds. `live` keeps deleted endpoints as versions that end in `null`. */
type Holdings = {
  readonly live: Map<string, Versions<Endpoint | null>>;
  readonly tombstones: Map<string, Endpoint>;
  /** When each endpoint of the tombstones was deleted. */
  readonly deletedAt: Map<string, number>;
  readonly slots: Set<string>;
};

/**
 * The stored records in memory, as the service's codecs read them back. The conditions of writes are in the adapters
 * beside it, one file for each of `shared/aws/table`; the suites in `test/ports` hold both to the same behaviour.
 */
export class MemoryTable {
  readonly runs = new Map<string, RunRow>();
  readonly reportPlaces = new Map<string, ReportPlace>();
  readonly reports = new Map<string, ReportRow>();
  readonly bulkReplays = new Map<string, BulkReplayRow>();
  /** The bulk replay that is running, by `customer#endpoint`. */
  readonly running = new Map<string, string>();
  readonly #now: Clock;
  readonly #observer: TableObserver;
  readonly #deliveries = new Map<string, DeliveryRow>();
  readonly #wakes = new Map<string, Versions<number | null>>();
  readonly #holdings = new Map<string, Holdings>();
  readonly #customers = new Set<string>();

  constructor(now: Clock, observer: TableObserver = unobserved) {
    this.#now = now;
    this.#observer = observer;
  }

  delivery(key: DeliveryKey): DeliveryRow | null {
    return this.#deliveries.get(rowName(key)) ?? null;
  }

  get deliveries(): Iterable<DeliveryRow> {
    return this.#deliveries.values();
  }

  putDelivery(delivery: Delivery, dueAt: number | null): void {
    const name = rowName(delivery);
    const before = this.#deliveries.get(name) ?? null;
    const stored = storedDelivery(delivery);
    this.#observer.onStored('Delivery', delivery, stored);
    const after = { delivery: stored, dueAt };
    this.#deliveries.set(name, after);
    if ((before?.dueAt ?? null) !== dueAt) this.#moveWake(name, dueAt);
    this.#observer.onDelivery(before, after);
  }

  /** Deliveries whose place in the index was before a time, as the index showed them `staleness` milliseconds ago. */
  waitingBefore(time: number, staleness: number): readonly Waiting[] {
    const asOf = this.#now() - staleness;
    const found: Waiting[] = [];
    for (const [name, wakes] of this.#wakes) {
      const dueAt = wakes.asOf(asOf);
      const row = this.#deliveries.get(name);
      if (dueAt !== null && dueAt < time && row !== undefined) found.push({ ...row, dueAt });
    }
    return found.sort(byWakeAndId);
  }

  liveEndpoint(customerId: string, webhookId: string, staleness = 0): Endpoint | null {
    return this.versionsOf(customerId, webhookId)?.asOf(this.#now() - staleness) ?? null;
  }

  /** The history of a live endpoint; ends in `null` when it is deleted. */
  versionsOf(customerId: string, webhookId: string): Versions<Endpoint | null> | undefined {
    return this.#holdings.get(customerId)?.live.get(webhookId);
  }

  liveEndpoints(customerId: string): readonly Endpoint[] {
    const versions = [...(this.#holdings.get(customerId)?.live.values() ?? [])];
    return versions.flatMap(({ current }) => (current === null ? [] : [current]));
  }

  putLiveEndpoint(endpoint: Endpoint): void {
    const { live } = this.holdingsOf(endpoint.customerId);
    const versions = live.get(endpoint.id) ?? new Versions<Endpoint | null>(null);
    const stored = storedEndpoint(endpoint);
    this.#observer.onStored('Endpoint', endpoint, stored);
    versions.set(stored, this.#now());
    live.set(endpoint.id, versions);
    this.#observer.onEndpoints(endpoint.customerId);
  }

  removeLiveEndpoint(customerId: string, webhookId: string): void {
    this.versionsOf(customerId, webhookId)?.set(null, this.#now());
    this.#observer.onEndpoints(customerId);
  }

  /** Slots and tombstones are changed in place: the observer sees the write of the endpoint that goes with them. */
  holdingsOf(customerId: string): Holdings {
    const known = this.#holdings.get(customerId);
    if (known !== undefined) return known;
    const holdings = {
      live: new Map(),
      tombstones: new Map(),
      deletedAt: new Map(),
      slots: new Set<string>(),
    };
    this.#holdings.set(customerId, holdings);
    return holdings;
  }

  /** Operators create customers; no other record makes one known. */
  addCustomer(customerId: string): void {
    this.#customers.add(customerId);
  }

  hasCustomer(customerId: string): boolean {
    return this.#customers.has(customerId);
  }

  get customers(): readonly string[] {
    return [...this.#customers];
  }

  putFanOut(customerId: string, subjectId: string, fanOut: FanOut): void {
    this.#observer.onFanOut(customerId, subjectId, fanOut);
  }

  #moveWake(name: string, dueAt: number | null): void {
    const wakes = this.#wakes.get(name) ?? new Versions<number | null>(null);
    wakes.set(dueAt, this.#now());
    this.#wakes.set(name, wakes);
  }
}

type Waiting = DeliveryRow & { readonly dueAt: number };

function byWakeAndId(one: Waiting, other: Waiting): number {
  return one.dueAt - other.dueAt || (one.delivery.id < other.delivery.id ? -1 : 1);
}

function rowName({ customerId, webhookId, id }: DeliveryKey): string {
  return `${customerId}#${webhookId}#${id}`;
}

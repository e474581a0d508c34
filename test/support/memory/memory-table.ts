import type { ReportPlace } from '#shared/aws/table/results/change-report-item.ts';
import { limits } from '#shared/contract/limits.ts';
import type { OpenRun } from '#shared/contract/records/given-results.ts';
import type { StoredSettledRun } from '#shared/contract/records/stored-results.ts';
import type { BulkReplay, BulkReplayKey } from '#shared/domain/bulk-replay.ts';
import type { Connection } from '#shared/domain/connection.ts';
import type { Delivery, DeliveryKey } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { PortalLink } from '#shared/domain/portal-link.ts';
import type { StoredRequest } from '#shared/domain/request-key.ts';
import type { Clock } from '#shared/operations/ports.ts';
import { type ReportRow, storedBulkReplay, storedDelivery, storedEndpoint } from './stored.ts';
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

/** A row of a customer, as an erasure finds it. */
export type OwnRow = {
  readonly kind: 'delivery' | 'endpoint' | 'result' | 'bulkReplay' | 'request' | 'portalLink' | 'connection';
  readonly remove: () => void;
};

/** Called for every write, at the moment of its effect. */
export type TableObserver = {
  /** Called first, with the written value and the value that is read back. */
  readonly onStored: (kind: string, written: unknown, read: unknown) => void;
  readonly onDelivery: (before: DeliveryRow | null, after: DeliveryRow) => void;
  readonly onEndpoints: (customerId: string) => void;
  readonly onBulkReplay: (before: BulkReplayRow | null, after: BulkReplayRow) => void;
  readonly onFanOut: (customerId: string, subjectId: string, fanOut: FanOut) => void;
};

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
  /** Until when a worker has the turn to post to a slow endpoint, by its id. */
  readonly turns = new Map<string, number>();
  readonly runs = new Map<string, RunRow>();
  readonly reportPlaces = new Map<string, ReportPlace>();
  readonly reports = new Map<string, ReportRow>();
  readonly bulkReplays = new Map<string, BulkReplayRow>();
  /** Those with an `Idempotency-Key`, by `customer#digest of the key`. */
  readonly requests = new Map<string, StoredRequest>();
  /** The bulk replay that is running, by `customer#endpoint`. */
  readonly running = new Map<string, string>();
  readonly portalLinks = new Map<string, PortalLink>();
  readonly connections = new Map<string, Connection>();
  readonly customers = new Set<string>();
  /** Customers that an operator finds in the list, including those whose deletion has begun. */
  readonly listedCustomers = new Set<string>();
  readonly #now: Clock;
  readonly #observer: Partial<TableObserver>;
  readonly #deliveries = new Map<string, DeliveryRow>();
  readonly #deliveryVersions = new Map<string, Versions<Delivery | null>>();
  readonly #wakes = new Map<string, Versions<number | null>>();
  readonly #holdings = new Map<string, Holdings>();

  constructor(now: Clock, observer: Partial<TableObserver> = {}) {
    this.#now = now;
    this.#observer = observer;
  }

  delivery(key: DeliveryKey): DeliveryRow | null {
    return this.#deliveries.get(rowName(key)) ?? null;
  }

  get deliveries(): Iterable<DeliveryRow> {
    return this.#deliveries.values();
  }

  /** The oldest first. */
  deliveriesOf(customerId: string, webhookId: string): readonly DeliveryRow[] {
    return [...this.#deliveries.values()]
      .filter(({ delivery }) => delivery.customerId === customerId && delivery.webhookId === webhookId)
      .sort((one, other) => (one.delivery.id < other.delivery.id ? -1 : 1));
  }

  putDelivery(delivery: Delivery, dueAt: number | null): void {
    const name = rowName(delivery);
    const before = this.#deliveries.get(name) ?? null;
    const stored = storedDelivery(delivery);
    this.#observer.onStored?.('Delivery', delivery, stored);
    const after = { delivery: stored, dueAt };
    this.#deliveries.set(name, after);
    this.#keep(this.#deliveryVersions, name, stored);
    if ((before?.dueAt ?? null) !== dueAt) this.#keep(this.#wakes, name, dueAt);
    this.#observer.onDelivery?.(before, after);
  }

  /** The deliveries as an eventually consistent read showed them `staleness` milliseconds ago. */
  deliveriesAsOf(staleness: number): readonly Delivery[] {
    const time = this.#now() - staleness;
    return [...this.#deliveryVersions.values()].flatMap((versions) => versions.asOf(time) ?? []);
  }

  bulkReplay(key: BulkReplayKey): BulkReplayRow | null {
    return this.bulkReplays.get(rowName(key)) ?? null;
  }

  /** The observer sees the row that names the running job as it is after the write. */
  putBulkReplay(job: BulkReplay, leaseUntil: number | null, takenAt: number | null = null): void {
    const before = this.bulkReplay(job);
    const claimedAt = takenAt ?? before?.claimedAt ?? null;
    const stored = storedBulkReplay(job);
    this.#observer.onStored?.('Bulk replay', job, stored);
    const after = { job: stored, leaseUntil, claimedAt };
    this.bulkReplays.set(rowName(job), after);
    this.#observer.onBulkReplay?.(before, after);
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
    const stored = storedEndpoint(endpoint);
    this.#observer.onStored?.('Endpoint', endpoint, stored);
    this.#keep(live, endpoint.id, stored);
    this.#observer.onEndpoints?.(endpoint.customerId);
  }

  removeLiveEndpoint(customerId: string, webhookId: string): void {
    this.versionsOf(customerId, webhookId)?.set(null, this.#now());
    this.#observer.onEndpoints?.(customerId);
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
    this.customers.add(customerId);
    this.listedCustomers.add(customerId);
  }

  /** In the place of endpoints that never existed, so that none is registered. */
  takeSlots(customerId: string): void {
    const { slots } = this.holdingsOf(customerId);
    slots.clear();
    for (let slot = 0; slot < limits.endpointsPerCustomer; slot += 1) slots.add(`closed${slot}`);
  }

  revokeConnections(customerId: string, at: number): void {
    for (const connection of this.connections.values()) {
      if (connection.organization !== customerId) continue;
      this.connections.set(connection.id, { ...connection, revokedAt: connection.revokedAt ?? at });
    }
  }

  /** Every row of a customer but its slots and the two that say that it exists. */
  rowsOf(customerId: string): readonly OwnRow[] {
    const { live, tombstones, deletedAt, slots } = this.holdingsOf(customerId);
    const own = (kind: OwnRow['kind'], names: Iterable<string>, remove: (name: string) => unknown) =>
      [...names].map((name) => ({ kind, remove: () => void remove(name) }));
    const named = (rows: ReadonlyMap<string, unknown>) =>
      [...rows.keys()].filter((name) => name.startsWith(`${customerId}#`));
    const ownOf = (kind: OwnRow['kind'], ...all: readonly Map<string, unknown>[]) =>
      all.flatMap((rows) => own(kind, named(rows), (name) => rows.delete(name)));
    const removeDelivery = (name: string): void => {
      this.#deliveries.delete(name);
      this.#keep(this.#deliveryVersions, name, null);
      this.#keep(this.#wakes, name, null);
    };
    const removeEndpoint = (id: string): void => {
      slots.delete(id);
      tombstones.delete(id);
      deletedAt.delete(id);
      if (this.liveEndpoint(customerId, id) !== null) this.removeLiveEndpoint(customerId, id);
    };
    const living = [...live.keys()].filter((id) => this.liveEndpoint(customerId, id) !== null);
    const links = [...this.portalLinks.values()].filter((link) => link.customerId === customerId);
    const connections = [...this.connections.values()].filter((each) => each.organization === customerId);
    const idOf = ({ id }: { readonly id: string }) => id;
    return [
      ...own('delivery', named(this.#deliveries), removeDelivery),
      ...own('endpoint', living, removeEndpoint),
      ...own('result', tombstones.keys(), removeEndpoint),
      ...ownOf('result', this.runs, this.reportPlaces, this.reports),
      ...ownOf('bulkReplay', this.bulkReplays, this.running),
      ...ownOf('request', this.requests),
      ...own('portalLink', links.map(idOf), (id) => this.portalLinks.delete(id)),
      ...own('connection', connections.map(idOf), (id) => this.connections.delete(id)),
    ];
  }

  hasCustomer(customerId: string): boolean {
    return this.customers.has(customerId);
  }

  putFanOut(customerId: string, subjectId: string, fanOut: FanOut): void {
    this.#observer.onFanOut?.(customerId, subjectId, fanOut);
  }

  #keep<T>(all: Map<string, Versions<T | null>>, name: string, value: T | null): void {
    const versions = all.get(name) ?? new Versions<T | null>(null);
    versions.set(value, this.#now());
    all.set(name, versions);
  }
}

type Waiting = DeliveryRow & { readonly dueAt: number };

function byWakeAndId(one: Waiting, other: Waiting): number {
  return one.dueAt - other.dueAt || (one.delivery.id < other.delivery.id ? -1 : 1);
}

function rowName({ customerId, webhookId, id }: DeliveryKey): string {
  return `${customerId}#${webhookId}#${id}`;
}

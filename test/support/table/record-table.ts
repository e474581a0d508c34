import { isDeepStrictEqual } from 'node:util';
import { fromConnectionItem } from '#shared/aws/table/credentials/connection-item.ts';
import { fromPortalLinkItem } from '#shared/aws/table/credentials/portal-link-item.ts';
import { fromDeliveryItem, toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { fanOutItem } from '#shared/aws/table/deliveries/fan-out-item.ts';
import { fromEndpointItem, toEndpointItem } from '#shared/aws/table/endpoints/endpoint-item.ts';
import * as keys from '#shared/aws/table/keys.ts';
import { fromBulkReplayItem, toBulkReplayItem } from '#shared/aws/table/replays/bulk-replay-item.ts';
import { rowOf } from '#shared/aws/table/row-owner.ts';
import { partitions, tableSchema } from '#shared/contract/table-schema.ts';
import type { BulkReplay, BulkReplayKey } from '#shared/domain/bulk-replay.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { Connection } from '#shared/domain/connection.ts';
import type { Delivery, DeliveryKey } from '#shared/domain/delivery.ts';
import { type Endpoint, initialState } from '#shared/domain/endpoint.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { PortalLink } from '#shared/domain/portal-link.ts';
import type { Clock } from '#shared/operations/ports.ts';
import { type Change, DynamoDb } from '../../../tools/local/aws/dynamodb/dynamodb.ts';
import { createTableInput } from '../aws/create-table-input.ts';
import { fromItem, type TableActions, tableActions } from '../aws/in-process-table.ts';
import { Versions } from './versions.ts';

/** `dueAt`: the delivery's place in the index of waiting ones, or `null`. */
export type DeliveryRow = { readonly delivery: Delivery; readonly dueAt: number | null };

/** Called for every change, when all rows of its request are stored. */
export type TableObserver = {
  readonly onDelivery: (before: DeliveryRow | null, after: DeliveryRow) => void;
  readonly onEndpoints: (customerId: string) => void;
  readonly onBulkReplay: (before: BulkReplay | null, after: BulkReplay) => void;
  readonly onFanOut: (customerId: string, subjectId: string, fanOut: FanOut) => void;
};

/** What one customer holds. `live` keeps deleted endpoints as versions that end in `null`. */
type Holdings = {
  readonly live: Map<string, Versions<Endpoint | null>>;
  readonly tombstones: Map<string, Endpoint>;
  slots: ReadonlySet<string>;
};

type Row = Readonly<Record<string, unknown>>;

export const tableName = 'table';

/**
 * A DynamoDB in this process with one table, and what it holds as records: for tests that put records there, look at
 * them, or watch every change.
 */
export class RecordTable {
  readonly actions: TableActions;
  readonly bulkReplays = new Map<string, BulkReplay>();
  /** The bulk replay that is running, by `customer#endpoint`. */
  readonly running = new Map<string, string>();
  readonly portalLinks = new Map<string, PortalLink>();
  readonly connections = new Map<string, Connection>();
  readonly customers = new Set<string>();
  readonly #dynamodb: DynamoDb;
  readonly #now: Clock;
  readonly #observer: Partial<TableObserver>;
  readonly #deliveries = new Map<string, DeliveryRow>();
  readonly #holdings = new Map<string, Holdings>();
  #staleness = 0;

  constructor(now: Clock, observer: Partial<TableObserver> = {}) {
    this.#now = now;
    this.#observer = observer;
    this.#dynamodb = new DynamoDb({
      now,
      staleness: () => this.#staleness,
      onWritten: (changes) => this.#see(changes),
    });
    this.#dynamodb.createTable(createTableInput(tableName));
    this.actions = tableActions(this.#dynamodb);
  }

  /** Acts while eventually consistent reads show what was stored `staleness` milliseconds ago. */
  lagging<T>(staleness: number, act: () => T): T {
    this.#staleness = staleness;
    try {
      return act();
    } finally {
      this.#staleness = 0;
    }
  }

  get deliveries(): Iterable<DeliveryRow> {
    return this.#deliveries.values();
  }

  delivery({ customerId, webhookId, id }: DeliveryKey): DeliveryRow | null {
    return this.#deliveries.get(`${customerId}#${webhookId}#${id}`) ?? null;
  }

  /** Deliveries whose place in the index is before a time. */
  waitingBefore(time: number): readonly DeliveryRow[] {
    return [...this.#deliveries.values()].filter(({ dueAt }) => dueAt !== null && dueAt < time);
  }

  bulkReplay({ customerId, webhookId, id }: BulkReplayKey): BulkReplay | null {
    return this.bulkReplays.get(`${customerId}#${webhookId}#${id}`) ?? null;
  }

  liveEndpoint(customerId: string, webhookId: string, staleness = 0): Endpoint | null {
    return this.versionsOf(customerId, webhookId)?.asOf(this.#now() - staleness) ?? null;
  }

  /** The history of a live endpoint; ends in `null` when it is deleted. */
  versionsOf(customerId: string, webhookId: string): Versions<Endpoint | null> | undefined {
    return this.#holdings.get(customerId)?.live.get(webhookId);
  }

  liveEndpoints(customerId: string): readonly Endpoint[] {
    const versions = [...this.holdingsOf(customerId).live.values()];
    return versions.flatMap(({ current }) => (current === null ? [] : [current]));
  }

  holdingsOf(customerId: string): Holdings {
    const holdings = this.#holdings.get(customerId) ?? {
      live: new Map(),
      tombstones: new Map(),
      slots: new Set<string>(),
    };
    this.#holdings.set(customerId, holdings);
    return holdings;
  }

  /** Every row of the table. */
  rows(): readonly Row[] {
    return this.#dynamodb.actions.Scan({ TableName: tableName }).Items?.map(fromItem) ?? [];
  }

  /** The kinds of the rows of a customer. */
  kindsOf(customerId: string): readonly string[] {
    return this.rows().flatMap((row) => rowOf(customerId, row)?.kind ?? []);
  }

  /** Operators create customers; no other record makes one known. */
  addCustomer(id: string): void {
    for (const key of [keys.customerKey(id), keys.customerListKey(id)])
      this.put({ ...key, id, name: id, created_at: 0 });
  }

  putDelivery(delivery: Delivery, dueAt: number | null): void {
    const place = dueAt === null ? {} : keys.waitingAttributes(delivery, dueAt);
    this.put({ ...toDeliveryItem(delivery), ...place });
  }

  putLiveEndpoint(endpoint: Endpoint): void {
    this.put({ ...keys.liveEndpointKey(endpoint.customerId, endpoint.id), ...toEndpointItem(endpoint) });
  }

  putBulkReplay(job: BulkReplay): void {
    this.put(toBulkReplayItem(job));
  }

  /** A live endpoint with its slot. */
  addEndpoint(endpoint: Endpoint): void {
    const { customerId, id } = endpoint;
    const { slots } = this.holdingsOf(customerId);
    this.#together([
      { ...keys.slotsKey(customerId), webhooks: new Set([...slots, id]) },
      { ...keys.liveEndpointKey(customerId, id), ...toEndpointItem(endpoint) },
    ]);
  }

  /** Endpoints that were deleted long ago. */
  putTombstones(endpoints: readonly Endpoint[], at: number): void {
    const rows = endpoints.flatMap((endpoint) => tombstoneRows(endpoint, at));
    for (const group of chunks(rows, 25)) this.#together(group);
  }

  /** An endpoint that was deleted. @param slots that are left; default: all but its own */
  putTombstone(endpoint: Endpoint, at: number, slots?: Iterable<string>): void {
    const { customerId, id } = endpoint;
    const rows = tombstoneRows(endpoint, at);
    if (slots === undefined && this.liveEndpoint(customerId, id) === null) {
      this.#together(rows);
      return;
    }
    const left = new Set(slots ?? [...this.holdingsOf(customerId).slots].filter((slot) => slot !== id));
    const slotsKey = keys.slotsKey(customerId);
    const removed = [keys.liveEndpointKey(customerId, id), ...(left.size === 0 ? [slotsKey] : [])];
    this.#together([...rows, ...(left.size === 0 ? [] : [{ ...slotsKey, webhooks: left }])], removed);
  }

  put(Item: Row): void {
    this.actions.put({ TableName: tableName, Item });
  }

  remove(key: keys.ItemKey): void {
    this.#together([], [key]);
  }

  /** Tells of a fan-out that is nowhere stored. */
  tellFanOut(customerId: string, subjectId: string, fanOut: FanOut): void {
    this.#observer.onFanOut?.(customerId, subjectId, fanOut);
  }

  #together(items: readonly Row[], removed: readonly keys.ItemKey[] = []): void {
    const puts = items.map((Item) => ({ PutRequest: { Item } }));
    const deletions = removed.map((Key) => ({ DeleteRequest: { Key } }));
    this.actions.batchWrite({ RequestItems: { [tableName]: [...puts, ...deletions] } });
  }

  /** Keeps all changes of a request before it tells of any. */
  #see(changes: readonly Change[]): void {
    const news = changes.flatMap(({ before, after }) => {
      const { pk, sk } = after ?? before ?? {};
      if (!pk || !('S' in pk) || !sk || !('S' in sk)) return [];
      return this.#keep(pk.S, sk.S, after, before) ?? [];
    });
    for (const tell of news) tell();
  }

  /** @returns tells of the change */
  #keep(pk: string, sk: string, after: Change['after'], before: Change['before']): (() => void) | null {
    const [beginning = '', customerId = '', owner = ''] = pk.split('#');
    const row = after === undefined ? null : fromItem(after);
    switch (`${beginning}#`) {
      case partitions.deliveries:
        return this.#keepDelivery(`${customerId}#${owner}#${sk}`, row);
      case partitions.customer:
        return this.#keepOfCustomer(customerId, sk, row);
      case partitions.bulkReplays:
        return this.#keepBulkReplay(`${customerId}#${owner}`, sk, row);
      case partitions.run:
      case partitions.tracker: {
        if (row === null || !('fan_out' in row)) return null;
        const fanOut = fanOutItem.parse(row.fan_out);
        if (before?.fan_out !== undefined && isDeepStrictEqual(fromItem(before).fan_out, row.fan_out)) return null;
        const subjectId = sk === keys.runKey('', '').sk ? owner : (sk.split('#')[2] ?? '');
        return () => this.#observer.onFanOut?.(customerId, subjectId, fanOut);
      }
      case partitions.portalLink:
        if (sk === keys.portalLinkKey('').sk) keepIn(this.portalLinks, pk, row && fromPortalLinkItem(row));
        return null;
      case partitions.connection:
        if (sk === keys.connectionKey('').sk) keepIn(this.connections, pk, row && fromConnectionItem(row));
        return null;
      default:
        return null;
    }
  }

  #keepDelivery(name: string, row: Row | null): (() => void) | null {
    const before = this.#deliveries.get(name) ?? null;
    const place = row?.[tableSchema.indexes.waiting.sortKey];
    const dueAt = typeof place === 'string' ? Number(place.split('#')[0]) : null;
    const after = row && { delivery: fromDeliveryItem(row), dueAt };
    keepIn(this.#deliveries, name, after);
    return after && (() => this.#observer.onDelivery?.(before, after));
  }

  #keepOfCustomer(customerId: string, sk: string, row: Row | null): (() => void) | null {
    const holdings = this.holdingsOf(customerId);
    const tell = () => this.#observer.onEndpoints?.(customerId);
    if (sk === keys.customerKey('').sk) {
      if (row === null) this.customers.delete(customerId);
      else this.customers.add(customerId);
      return null;
    }
    if (sk === keys.slotsKey('').sk) {
      holdings.slots = new Set(row?.webhooks instanceof Set ? row.webhooks : []);
      return tell;
    }
    const [kind, id = ''] = sk.split('#');
    if (kind === keys.slotsKey('').sk) {
      const versions = holdings.live.get(id) ?? new Versions<Endpoint | null>(null);
      versions.set(row && fromEndpointItem(row), this.#now());
      holdings.live.set(id, versions);
      return tell;
    }
    if (sk.startsWith(keys.tombstoneKey('', '').sk)) keepIn(holdings.tombstones, id, row && fromEndpointItem(row));
    return null;
  }

  #keepBulkReplay(endpoint: string, sk: string, row: Row | null): (() => void) | null {
    if (sk === keys.runningReplayKey('', '').sk) {
      keepIn(this.running, endpoint, row && String(row.replay_id));
      return null;
    }
    if (sk.startsWith(keys.tallyKey('', '', '').sk)) return null;
    const name = `${endpoint}#${sk}`;
    const before = this.bulkReplays.get(name) ?? null;
    const after = row && fromBulkReplayItem(row);
    keepIn(this.bulkReplays, name, after);
    return after && (() => this.#observer.onBulkReplay?.(before, after));
  }
}

function tombstoneRows(endpoint: Endpoint, at: number): readonly Row[] {
  const { customerId, id, deliveryPartitions } = endpoint;
  const ended = { ...endpoint, previousSecret: null, previousSecretExpiresAt: null, ...initialState };
  const { secret: _, ...kept } = toEndpointItem(ended);
  return [
    { ...keys.tombstoneKey(customerId, id), ...kept, status: 'deleted', deleted_at: at },
    { ...keys.deletionKey(customerId, at, id), delivery_partitions: deliveryPartitions },
  ];
}

function keepIn<T>(all: Map<string, T>, name: string, value: T | null): void {
  if (value === null) all.delete(name);
  else all.set(name, value);
}

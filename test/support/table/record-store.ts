import type { Delivery } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { startOfTest } from '../values/builders.ts';
import { askedTable } from './asked-table.ts';
import type { Io } from './io.ts';
import { RecordTable } from './record-table.ts';
import { tablePorts } from './table-ports.ts';

type Given = {
  readonly deliveries?: readonly Delivery[];
  readonly endpoints?: readonly Endpoint[];
  /** Called for each request with its name, such as `update DLV`, before it has an effect. Throws to fail it. */
  readonly asking?: (request: string) => void;
  /** Makes each request. Default: after `asking`, it is answered at once, and is among those `asked`. */
  readonly io?: Io;
};

/**
 * A table in this process with the given records: `table` and `ports` as operations have it, `records` past them, and
 * in `asked` the names of the requests so far.
 */
export function recordStore({ deliveries = [], endpoints = [], asking = () => {}, ...given }: Given = {}) {
  const records = new RecordTable(() => startOfTest);
  const asked: string[] = [];
  const {
    io = async ({ name }, effect) => {
      asked.push(name);
      asking(name);
      return effect(0);
    },
  }: { readonly io?: Io } = given;
  const ports = tablePorts(askedTable(records, { io }));
  const store = {
    table: ports.table,
    ports,
    records,
    asked,
    deliveries: deliveriesOf(records),
    endpoints: { put: (endpoint: Endpoint) => putEndpoint(records, endpoint) },
  };
  for (const delivery of deliveries) store.deliveries.put(delivery);
  for (const endpoint of endpoints) store.endpoints.put(endpoint);
  return store;
}

function deliveriesOf(table: RecordTable) {
  const rowOf = (id: string) => [...table.deliveries].find(({ delivery }) => delivery.id === id);
  return {
    get: (id: string): Delivery | undefined => rowOf(id)?.delivery,
    all: (): readonly Delivery[] => [...table.deliveries].map(({ delivery }) => delivery),
    put: (delivery: Delivery): void => table.putDelivery(delivery, table.delivery(delivery)?.dueAt ?? null),
    /** When the sweep may wake a delivery. */
    dueAt: (id: string): number | null | undefined => rowOf(id)?.dueAt,
  };
}

function putEndpoint(table: RecordTable, endpoint: Endpoint): void {
  if (endpoint.status === 'deleted') table.putTombstone(endpoint, startOfTest);
  else table.addEndpoint(endpoint);
}

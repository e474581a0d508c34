import type { Table } from './clients.ts';
import type { Backoff } from './table/backoff.ts';
import { readDeliveries } from './table/deliveries/delivery-pages.ts';
import { readEventDeliveries } from './table/deliveries/event-deliveries.ts';
import { readRunEventIds } from './table/deliveries/fan-outs.ts';

/** The reads of lists of deliveries, with all of their filters. */
export function deliveryListPorts(table: Table, backoff: Backoff) {
  return {
    readDeliveries: readDeliveries(table),
    readEventDeliveries: readEventDeliveries(table, backoff),
    readRunEventIds: readRunEventIds(table),
  };
}

import type { Table } from './clients.ts';
import { listCustomerIds, listEndpointsSince } from './table/deliveries/audit-reads.ts';
import { readDelivery } from './table/deliveries/deliveries.ts';
import { readDeliveryHistory } from './table/endpoints/endpoints.ts';

/** The reads of a search through customers and their endpoints. */
export function searchPorts(table: Table) {
  return {
    listCustomerIds: listCustomerIds(table),
    listEndpointsSince: listEndpointsSince(table),
    readEndpoint: readDeliveryHistory(table),
    readDelivery: readDelivery(table),
  };
}

import { limits } from '../../../shared/contract/limits.ts';
import type { Delivery } from '../../../shared/domain/delivery.ts';
import type { Endpoint } from '../../../shared/domain/endpoint.ts';
import type { Io } from '../world/io.ts';
import { readLiveEndpoint } from './endpoints.ts';
import type { MemoryTable } from './memory-table.ts';

/** One transaction: all of it happens, or nothing. */
export function reserveEndpoint(table: MemoryTable, io: Io) {
  return (endpoint: Endpoint, handshake: Delivery): Promise<'reserved' | 'limit_reached'> =>
    io({ service: 'table', name: 'reserve', once: true }, () => {
      const { slots } = table.holdingsOf(endpoint.customerId);
      if (slots.size >= limits.endpointsPerCustomer) return 'limit_reached';
      slots.add(endpoint.id);
      table.putLiveEndpoint(endpoint);
      table.putDelivery(handshake, handshake.claim?.leaseUntil ?? endpoint.createdAt);
      return 'reserved';
    });
}

/** A read, then one transaction that holds if the endpoint is still there. */
export function entombEndpoint(table: MemoryTable, io: Io) {
  return async (customerId: string, webhookId: string): Promise<boolean> => {
    const endpoint = await readLiveEndpoint(table, io)(customerId, webhookId, 'strong');
    if (endpoint === null) return false;
    return io({ service: 'table', name: 'entomb', once: true }, () => {
      if (table.liveEndpoint(customerId, webhookId) === null) return false;
      const { tombstones, slots } = table.holdingsOf(customerId);
      tombstones.set(webhookId, tombstoneOf(endpoint));
      slots.delete(webhookId);
      table.removeLiveEndpoint(customerId, webhookId);
      return true;
    });
  };
}

/** It shows what the endpoint was when it was read, without its secrets. */
export function tombstoneOf(endpoint: Endpoint): Endpoint {
  return {
    ...endpoint,
    status: 'deleted',
    secret: '',
    previousSecret: null,
    previousSecretExpiresAt: null,
  };
}

import { limits } from '#shared/contract/limits.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { readLiveEndpoint } from './endpoints.ts';
import type { Io } from './io.ts';
import type { MemoryTable } from './memory-table.ts';

/** One transaction. */
export function reserveEndpoint(table: MemoryTable, io: Io) {
  return (endpoint: Endpoint, handshake: Delivery): Promise<'reserved' | 'limit_reached'> =>
    io({ service: 'table', name: 'reserve', transaction: { token: endpoint.id, done: 'reserved' } }, () => {
      const { slots } = table.holdingsOf(endpoint.customerId);
      if (slots.size >= limits.endpointsPerCustomer) return 'limit_reached';
      slots.add(endpoint.id);
      table.putLiveEndpoint(endpoint);
      table.putDelivery(handshake, handshake.claim?.leaseUntil ?? endpoint.createdAt);
      return 'reserved';
    });
}

const tries = 12;

/** A read, then a transaction that requires the endpoint to be unchanged; both are repeated when it is not. */
export function deleteEndpoint(table: MemoryTable, io: Io) {
  return async (customerId: string, webhookId: string, at: number): Promise<boolean> => {
    for (let attempt = 1; attempt <= tries; attempt += 1) {
      const endpoint = await readLiveEndpoint(table, io)(customerId, webhookId);
      if (endpoint === null) return false;
      const isDone = await io(
        { service: 'table', name: 'delete endpoint', transaction: { done: true } },
        () => turnIntoTombstone(table, endpoint, at),
      );
      if (isDone) return true;
    }
    throw new Error(`Cannot delete endpoint ${webhookId}: it changed during each of ${tries} tries`);
  };
}

function turnIntoTombstone(table: MemoryTable, asRead: Endpoint, at: number): boolean {
  const { customerId, id, status, deliveryPartitions } = asRead;
  const live = table.liveEndpoint(customerId, id);
  if (live?.status !== status || live.deliveryPartitions !== deliveryPartitions) return false;
  putTombstone(table, asRead, at);
  return true;
}

export function putTombstone(table: MemoryTable, endpoint: Endpoint, at: number): void {
  const { customerId, id } = endpoint;
  const { tombstones, deletedAt, slots } = table.holdingsOf(customerId);
  tombstones.set(id, tombstoneOf(endpoint));
  deletedAt.set(id, at);
  slots.delete(id);
  table.removeLiveEndpoint(customerId, id);
}

/** The endpoint as it was read, without its secrets. */
export function tombstoneOf(endpoint: Endpoint): Endpoint {
  return {
    ...endpoint,
    status: 'deleted',
    secret: '',
    previousSecret: null,
    previousSecretExpiresAt: null,
    slowSince: null,
  };
}

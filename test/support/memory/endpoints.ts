import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { Rotation } from '#shared/operations/customer/rotate-secret.ts';
import type { NoteLastDelivery } from '#shared/operations/delivery/note-last-delivery.ts';
import type { ClearSlow, MarkSlow } from '#shared/operations/delivery/watch-pace.ts';
import type { ListLiveEndpoints, ReadEndpoint, ReadLiveEndpoint } from '#shared/operations/ports.ts';
import type { Io } from './io.ts';
import type { MemoryTable } from './memory-table.ts';

export function readLiveEndpoint(table: MemoryTable, io: Io): ReadLiveEndpoint {
  return (customerId, webhookId) =>
    io({ service: 'table', name: 'read endpoint' }, () => table.liveEndpoint(customerId, webhookId));
}

/** Two reads, because the table keeps tombstones apart: a deletion may come between them. */
export function readEndpoint(table: MemoryTable, io: Io): ReadEndpoint {
  return async (customerId, webhookId) => {
    const live = await readLiveEndpoint(table, io)(customerId, webhookId);
    if (live !== null) return live;
    return io(
      { service: 'table', name: 'read tombstone' },
      () => table.holdingsOf(customerId).tombstones.get(webhookId) ?? null,
    );
  };
}

export function listLiveEndpoints(table: MemoryTable, io: Io): ListLiveEndpoints {
  return (customerId) =>
    io({ service: 'table', name: 'list endpoints' }, () =>
      [...table.liveEndpoints(customerId)].sort((one, other) => (one.id < other.id ? 1 : -1)),
    );
}

export function activateEndpoint(table: MemoryTable, io: Io) {
  return (customerId: string, webhookId: string, at: number): Promise<boolean> =>
    io({ service: 'table', name: 'activate' }, () => {
      const endpoint = table.liveEndpoint(customerId, webhookId);
      if (endpoint?.status !== 'failed') return endpoint?.activatedAt === at;
      table.putLiveEndpoint({ ...endpoint, status: 'active', activatedAt: at });
      return true;
    });
}

export function replaceSecret(table: MemoryTable, io: Io) {
  return (
    rotation: Rotation,
  ): Promise<
    | { readonly rotated: true; readonly endpoint: Endpoint }
    | { readonly rotated: false; readonly endpoint: Endpoint | null }
  > =>
    io({ service: 'table', name: 'rotate' }, () => {
      const endpoint = table.liveEndpoint(rotation.customerId, rotation.webhookId);
      if (endpoint?.status !== 'active' || hasOverlap(endpoint, rotation.at)) {
        return endpoint?.secret === rotation.secret
          ? { rotated: true, endpoint }
          : { rotated: false, endpoint };
      }
      const rotated = {
        ...endpoint,
        previousSecret: endpoint.secret,
        previousSecretExpiresAt: rotation.overlapEnd,
        secret: rotation.secret,
        secretPrefix: rotation.secretPrefix,
      };
      table.putLiveEndpoint(rotated);
      return { rotated: true, endpoint: rotated };
    });
}

function hasOverlap(endpoint: Endpoint, now: number): boolean {
  return endpoint.previousSecretExpiresAt !== null && endpoint.previousSecretExpiresAt > now;
}

export function raisePartitions(table: MemoryTable, io: Io) {
  return (customerId: string, webhookId: string, partitions: number): Promise<Endpoint | null> =>
    io({ service: 'table', name: 'raise partitions' }, () => {
      const endpoint = table.liveEndpoint(customerId, webhookId);
      if (endpoint === null || endpoint.deliveryPartitions >= partitions) return endpoint;
      const raised = { ...endpoint, deliveryPartitions: partitions };
      table.putLiveEndpoint(raised);
      return raised;
    });
}

export function noteLastDelivery(table: MemoryTable, io: Io): NoteLastDelivery {
  return ({ customerId, id }, at) =>
    io({ service: 'table', name: 'note last delivery' }, () => {
      const live = table.liveEndpoint(customerId, id);
      if (live === null || (live.lastDeliveryAt !== null && live.lastDeliveryAt >= at)) return;
      table.putLiveEndpoint({ ...live, lastDeliveryAt: at });
    });
}

export function markSlow(table: MemoryTable, io: Io): MarkSlow {
  return ({ customerId, id }, since) =>
    io({ service: 'table', name: 'mark slow' }, () => {
      const live = table.liveEndpoint(customerId, id);
      if (live === null || live.slowSince !== null) return false;
      table.putLiveEndpoint({ ...live, slowSince: since });
      return true;
    });
}

export function clearSlow(table: MemoryTable, io: Io): ClearSlow {
  return ({ customerId, id, slowSince }) =>
    io({ service: 'table', name: 'clear slow' }, () => {
      const live = table.liveEndpoint(customerId, id);
      if (live === null || live.slowSince !== slowSince) return false;
      table.putLiveEndpoint({ ...live, slowSince: null });
      return true;
    });
}

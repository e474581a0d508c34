import type { DeliveryKey } from '#shared/domain/delivery.ts';
import { idTime } from '#shared/domain/ids.ts';
import type { AuditedDelivery, AuditedEndpoint, Span } from '#shared/operations/delivery/audit-deliveries.ts';
import type { Io } from './io.ts';
import type { DeliveryRow, MemoryTable } from './memory-table.ts';

export function listCustomerIds(table: MemoryTable, io: Io) {
  return async function* (): AsyncIterable<readonly string[]> {
    yield await io({ service: 'table', name: 'list customers' }, () => table.customers);
  };
}

export function listEndpointsSince(table: MemoryTable, io: Io) {
  return (customerId: string, since: number): Promise<readonly AuditedEndpoint[]> =>
    io({ service: 'table', name: 'list endpoints since' }, () => {
      const { tombstones, deletedAt } = table.holdingsOf(customerId);
      const deleted = [...tombstones.values()].filter(({ id }) => (deletedAt.get(id) ?? since) >= since);
      return [...table.liveEndpoints(customerId), ...deleted];
    });
}

export function readProspects(table: MemoryTable, io: Io) {
  return async function* (
    endpoint: AuditedEndpoint,
    { from, to }: Span,
  ): AsyncIterable<readonly AuditedDelivery[]> {
    yield await io({ service: 'table', name: 'read prospects' }, () =>
      [...table.deliveries]
        .filter(({ delivery }) => isOf(delivery, endpoint))
        .map(toProspect)
        .filter(({ createdAt }) => createdAt >= from && createdAt <= to)
        .sort((one, other) => (one.key.id < other.key.id ? -1 : 1)),
    );
  };
}

export function readProspect(table: MemoryTable, io: Io) {
  return (key: DeliveryKey): Promise<AuditedDelivery | null> =>
    io({ service: 'table', name: 'read prospect' }, () => {
      const row = table.delivery(key);
      return row === null ? null : toProspect(row);
    });
}

export function giveWakeUp(table: MemoryTable, io: Io) {
  return (key: DeliveryKey, wakeAt: number): Promise<boolean> =>
    io({ service: 'table', name: 'give wake-up' }, () => {
      const row = table.delivery(key);
      if (row?.delivery.status !== 'pending' || row.wakeAt !== null) return false;
      table.putDelivery(row.delivery, wakeAt);
      return true;
    });
}

function isOf(delivery: DeliveryKey, endpoint: AuditedEndpoint): boolean {
  return delivery.customerId === endpoint.customerId && delivery.webhookId === endpoint.id;
}

function toProspect({ delivery, wakeAt }: DeliveryRow): AuditedDelivery {
  const { customerId, webhookId, id, status, claim } = delivery;
  return {
    key: { customerId, webhookId, id },
    status,
    createdAt: idTime(id),
    leaseUntil: claim?.leaseUntil ?? null,
    wakeAt,
  };
}

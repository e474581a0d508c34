import type { DeliveryKey } from '#shared/domain/delivery.ts';
import { idTime } from '#shared/domain/ids.ts';
import type { AuditedDelivery } from '#shared/domain/progress.ts';
import type {
  AuditedEndpoint,
  ListCustomerIds,
  ListEndpointsSince,
  MarkDue,
  ReadAuditedDeliveries,
  ReadAuditedDelivery,
  ReadAuditedReplay,
} from '#shared/operations/delivery/audit-deliveries.ts';
import type { Io } from './io.ts';
import type { DeliveryRow, MemoryTable } from './memory-table.ts';

export function listCustomerIds(table: MemoryTable, io: Io): ListCustomerIds {
  return async function* () {
    yield await io({ service: 'table', name: 'list customers' }, () => table.customers);
  };
}

export function listEndpointsSince(table: MemoryTable, io: Io): ListEndpointsSince {
  return (customerId, since) =>
    io({ service: 'table', name: 'list endpoints since' }, () => {
      const { tombstones, deletedAt } = table.holdingsOf(customerId);
      const deleted = [...tombstones.values()].filter(({ id }) => (deletedAt.get(id) ?? since) >= since);
      return [...table.liveEndpoints(customerId), ...deleted];
    });
}

export function readAuditedDeliveries(table: MemoryTable, io: Io): ReadAuditedDeliveries {
  return async function* (endpoint, { from, to }) {
    yield await io({ service: 'table', name: 'read audit' }, () =>
      [...table.deliveries]
        .filter(({ delivery }) => isOf(delivery, endpoint))
        .map(toAuditedDelivery)
        .filter(({ createdAt }) => createdAt >= from && createdAt <= to)
        .sort((one, other) => (one.key.id < other.key.id ? -1 : 1)),
    );
  };
}

export function readAuditedDelivery(table: MemoryTable, io: Io): ReadAuditedDelivery {
  return (key) =>
    io({ service: 'table', name: 'read delivery' }, () => {
      const row = table.delivery(key);
      return row === null ? null : toAuditedDelivery(row);
    });
}

export function readAuditedReplay(table: MemoryTable, io: Io): ReadAuditedReplay {
  return ({ customerId, id: webhookId }) =>
    io({ service: 'table', name: 'read audited replay' }, () => {
      const id = table.running.get(`${customerId}#${webhookId}`);
      const row = table.bulkReplays.get(`${customerId}#${webhookId}#${id}`);
      if (id === undefined || row === undefined) return null;
      return { key: { customerId, webhookId, id }, lastStepAt: row.claimedAt ?? idTime(id) };
    });
}

export function markDue(table: MemoryTable, io: Io): MarkDue {
  return (key, dueAt) =>
    io({ service: 'table', name: 'give wake-up' }, () => {
      const row = table.delivery(key);
      if (row?.delivery.status !== 'pending' || row.dueAt !== null) return false;
      table.putDelivery(row.delivery, dueAt);
      return true;
    });
}

function isOf(delivery: DeliveryKey, endpoint: AuditedEndpoint): boolean {
  return delivery.customerId === endpoint.customerId && delivery.webhookId === endpoint.id;
}

function toAuditedDelivery({ delivery, dueAt }: DeliveryRow): AuditedDelivery {
  const { customerId, webhookId, id, status, claim } = delivery;
  return {
    key: { customerId, webhookId, id },
    status,
    createdAt: idTime(id),
    leaseUntil: claim?.leaseUntil ?? null,
    dueAt,
  };
}

import { idTime } from '#shared/domain/ids.ts';
import type { AuditedDelivery } from '#shared/domain/progress.ts';
import type { AuditPorts } from '#shared/operations/delivery/audit-deliveries.ts';
import type { AskTable } from './io.ts';
import type { DeliveryRow, MemoryTable } from './memory-table.ts';

export function auditPorts(table: MemoryTable, ask: AskTable): Omit<AuditPorts, 'areQueuesEmpty'> {
  return {
    listCustomerIds: async function* () {
      yield await ask('list customers', () => [...table.customers]);
    },

    listEndpointsSince: (customerId, since) =>
      ask('list endpoints since', () => {
        const { tombstones, deletedAt } = table.holdingsOf(customerId);
        const deleted = [...tombstones.values()].filter(({ id }) => (deletedAt.get(id) ?? since) >= since);
        return [...table.liveEndpoints(customerId), ...deleted];
      }),

    readAuditedDeliveries: async function* (endpoint, { from, to }) {
      yield await ask('read audit', () =>
        table
          .deliveriesOf(endpoint.customerId, endpoint.id)
          .map(toAuditedDelivery)
          .filter(({ createdAt }) => createdAt >= from && createdAt <= to),
      );
    },

    readAuditedDelivery: (key) =>
      ask('read delivery', () => {
        const row = table.delivery(key);
        return row === null ? null : toAuditedDelivery(row);
      }),

    readAuditedReplay: ({ customerId, id: webhookId }) =>
      ask('read audited replay', () => {
        const id = table.running.get(`${customerId}#${webhookId}`);
        const row = id === undefined ? null : table.bulkReplay({ customerId, webhookId, id });
        if (id === undefined || row === null) return null;
        return { key: { customerId, webhookId, id }, lastStepAt: row.claimedAt ?? idTime(id) };
      }),

    markDue: (key, dueAt) =>
      ask('give wake-up', () => {
        const row = table.delivery(key);
        if (row?.delivery.status !== 'pending' || row.dueAt !== null) return false;
        table.putDelivery(row.delivery, dueAt);
        return true;
      }),
  };
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

import { waitingShards } from '#shared/aws/table/keys.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { TablePorts } from '../support/table/table-ports.ts';
import { acknowledgedAttempt, rejectedAttempt, startOfTest } from '../support/values/builders.ts';

export const retryAt = startOfTest + 600_000;
export const leaseUntil = startOfTest + 30_000;

export const claimFirst = (ports: TablePorts, delivery: Delivery) =>
  ports.claimAttempt(delivery, 1, { fencingToken: 'ours', leaseUntil, latestDue: startOfTest });

/** Makes the first attempt of a delivery, which is acknowledged if it is the last, and else rejected. */
export async function attemptFirst(ports: TablePorts, delivery: Delivery, isLast: boolean): Promise<void> {
  await claimFirst(ports, delivery);
  await ports.recordAttempt({
    key: delivery,
    attempt: 1,
    fencingToken: 'ours',
    entry: isLast ? acknowledgedAttempt : rejectedAttempt,
    transition: isLast ? { status: 'delivered', endedAt: startOfTest } : { status: 'pending', retryAt },
  });
}

export const keyOf = ({ customerId, webhookId, id }: Delivery) => ({ customerId, webhookId, id });

/** Overdue deliveries of all shards, oldest first. */
export async function overdueBefore(ports: TablePorts, before: number) {
  const shards = Array.from({ length: waitingShards }, (_, shard) => ports.listOverdue(shard, before, 100, null));
  return (await Promise.all(shards))
    .flatMap(({ overdue }) => overdue)
    .sort((one, other) => one.dueAt - other.dueAt || one.id.localeCompare(other.id));
}

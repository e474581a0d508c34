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

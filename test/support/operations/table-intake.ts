import type { Table } from '#shared/aws/clients.ts';
import { rememberCustomers } from '#shared/aws/table/credentials/customers.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import { acceptIntake } from '#shared/operations/intake/accept-intake.ts';
import type { Clock, EnqueueAttempts, Report } from '#shared/operations/ports.ts';
import { groupedTable } from '../table/table-ports.ts';

/** One intake function over a table of DynamoDB. `queued` has what it put on the delivery queues. */
export function tableIntake(table: Table, now: Clock, report: Report) {
  const queued: DueAttempt[] = [];
  const enqueue: EnqueueAttempts = async (due) => {
    queued.push(...due);
    return [];
  };
  const accept = acceptIntake({
    now,
    baseUrl: 'https://api.example.com',
    report,
    table: groupedTable(table),
    knownCustomers: rememberCustomers({ now, monotonic: now }),
    enqueueAttempts: enqueue,
  });
  return {
    accept: (messages: Parameters<typeof accept>[0]) => accept(messages, () => Number.POSITIVE_INFINITY),
    queued,
  };
}

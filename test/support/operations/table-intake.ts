import type { Table } from '#shared/aws/clients.ts';
import { intakePorts } from '#shared/aws/intake-ports.ts';
import { isCustomerKnown } from '#shared/aws/table/credentials/customers.ts';
import { listListeners } from '#shared/aws/table/endpoints/endpoints.ts';
import { customerMemory } from '#shared/domain/customer.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import { acceptIntake } from '#shared/operations/intake/accept-intake.ts';
import type { Clock, EnqueueAttempts, Report } from '#shared/operations/ports.ts';
import { backoff } from '../aws/table.ts';

/** One intake function over a table of DynamoDB. `queued` has what it put on the delivery queues. */
export function tableIntake(
  table: Table,
  now: Clock,
  report: Report,
  given: Partial<Parameters<typeof acceptIntake>[0]> = {},
) {
  const queued: DueAttempt[] = [];
  const enqueue: EnqueueAttempts = async (due) => {
    queued.push(...due);
    return [];
  };
  const accept = acceptIntake({
    now,
    baseUrl: 'https://api.example.com',
    report,
    isCustomerKnown: isCustomerKnown(table, {
      maxEntries: 10,
      timeToLive: customerMemory,
      now,
      monotonic: now,
    }),
    listLiveEndpoints: listListeners(table),
    ...intakePorts(table, backoff),
    enqueueAttempts: enqueue,
    ...given,
  });
  return { accept, queued };
}

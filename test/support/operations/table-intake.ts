import type { Table } from '#shared/aws/clients.ts';
import { isCustomerKnown } from '#shared/aws/table/customers.ts';
import { storeDelivery } from '#shared/aws/table/deliveries.ts';
import { listListeners } from '#shared/aws/table/endpoints.ts';
import { storeOpenRun, storeSettledRun, storeSettledRunWithFanOut } from '#shared/aws/table/runs.ts';
import { storeChangeReport, storeTracker } from '#shared/aws/table/trackers.ts';
import { storeCreatorVideos, storeRunItems } from '#shared/aws/table/videos.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import { acceptIntake } from '#shared/operations/intake/accept-intake.ts';
import type { Clock, EnqueueAttempts, Report } from '#shared/operations/ports.ts';

const backoff = { wait: async () => {}, random: () => 0 };

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
    isCustomerKnown: isCustomerKnown(table, 10),
    listLiveEndpoints: listListeners(table),
    storeOpenRun: storeOpenRun(table),
    storeSettledRun: storeSettledRun(table),
    storeSettledRunWithFanOut: storeSettledRunWithFanOut(table),
    storeRunItems: storeRunItems(table, backoff),
    storeTracker: storeTracker(table),
    storeChangeReport: storeChangeReport(table),
    storeCreatorVideos: storeCreatorVideos(table),
    storeDelivery: storeDelivery(table),
    enqueueAttempts: enqueue,
    enqueueSlowAttempts: enqueue,
  });
  return { accept, queued };
}

import type { WritableTable } from './clients.ts';
import type { Backoff } from './table/backoff.ts';
import { storeDelivery } from './table/deliveries/deliveries.ts';
import { groupWrites } from './table/grouped-writes.ts';
import { storeOpenRun, storeSettledRun, storeSettledRunWithFanOut } from './table/results/runs.ts';
import { storeChangeReport, storeTracker } from './table/results/trackers.ts';
import { storeCreatorVideos, storeRunItems } from './table/results/videos.ts';

/** What the intake stores in the table. */
export function intakePorts(table: WritableTable, backoff: Backoff) {
  return {
    storeOpenRun: storeOpenRun(table),
    storeSettledRun: storeSettledRun(table),
    storeSettledRunWithFanOut: storeSettledRunWithFanOut(table),
    storeRunItems: storeRunItems(table, backoff),
    storeTracker: storeTracker(table),
    storeChangeReport: storeChangeReport(table),
    storeCreatorVideos: storeCreatorVideos(table),
    storeDelivery: storeDelivery(table, groupWrites(table)),
  };
}

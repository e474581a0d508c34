import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { type ItemKey, runKey } from '#shared/aws/table/keys.ts';
import { toChangeReportItem } from '#shared/aws/table/results/change-report-item.ts';
import { toRunPlace, toRunText } from '#shared/aws/table/results/run-item.ts';
import { toTrackerItem } from '#shared/aws/table/results/tracker-item.ts';
import { toCreatorVideoItem, toRunItemRow } from '#shared/aws/table/results/video-item.ts';
import {
  creator,
  deliveryAt,
  fanOutAt,
  measuredRun,
  type Owner,
  reportAt,
  reportRunAt,
  rowsOfOne,
  runAt,
  type TableSize,
  tracker,
  videoAt,
} from './records.ts';

export type StoredItem = ItemKey & Readonly<Record<string, unknown>>;

/** The items of a table of this size, as the service would have written them. */
export function* itemsOf(size: TableSize, owner: Owner): Generator<StoredItem> {
  for (let index = 0; index < size.stored; index += 1) {
    yield toDeliveryItem(deliveryAt(index, owner));
    yield runItem(index, owner);
  }
  yield toTrackerItem(owner.customerId, tracker);
  for (let index = 0; index < rowsOfOne(size); index += 1) yield* itemsOfOne(index, owner);
}

function runItem(index: number, owner: Owner): StoredItem {
  const run = runAt(index);
  return {
    ...runKey(owner.customerId, run.id),
    settled: toRunText(run),
    fan_out: fanOutAt(index, owner),
    ...toRunPlace(owner.customerId, run),
  };
}

/** A row in each list of the measured Run, Tracker and creator. */
function* itemsOfOne(index: number, owner: Owner): Generator<StoredItem> {
  const { customerId } = owner;
  const video = videoAt(index);
  yield toRunItemRow(customerId, measuredRun, video);
  yield toCreatorVideoItem(customerId, creator, video);
  const report = reportAt(index);
  const place = { trackerId: tracker.id, createdAt: report.created_at };
  yield toChangeReportItem(customerId, place, report, reportRunAt(index), fanOutAt(index, owner));
}

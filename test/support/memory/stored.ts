import { fromDeliveryItem, toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { fromEndpointItem, toEndpointItem } from '#shared/aws/table/endpoints/endpoint-item.ts';
import { liveEndpointKey } from '#shared/aws/table/keys.ts';
import { fromBulkReplayItem, toBulkReplayItem } from '#shared/aws/table/replays/bulk-replay-item.ts';
import {
  fromReportPlaceItem,
  fromToldReportItem,
  type ReportPlace,
  toChangeReportItem,
  toReportPlaceItem,
} from '#shared/aws/table/results/change-report-item.ts';
import { fromSettledItem, fromToldItem, toRunText } from '#shared/aws/table/results/run-item.ts';
import type { SettledRun } from '#shared/contract/records/given-results.ts';
import type { StoredChangeReport, StoredSettledRun } from '#shared/contract/records/stored-results.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { EventRun } from '#shared/domain/event.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { StoreChangeReport } from '#shared/operations/intake/accept-intake.ts';

/** A stored Change Report: its place and its fan-out. */
export type ReportRow = Awaited<ReturnType<StoreChangeReport>>;

/**
 * Records as they are read back: each goes through the service's codec for its row. An unreadable record throws, as it
 * does in the service.
 */
export function storedDelivery(delivery: Delivery): Delivery {
  return fromDeliveryItem(asStored(toDeliveryItem(delivery)));
}

export function storedEndpoint(endpoint: Endpoint): Endpoint {
  const key = liveEndpointKey(endpoint.customerId, endpoint.id);
  const { owed_notices, ...item } = toEndpointItem(endpoint);
  return fromEndpointItem({ ...asStored({ ...key, ...item }), owed_notices });
}

export function storedBulkReplay(job: BulkReplay): BulkReplay {
  return fromBulkReplayItem(asStored(toBulkReplayItem(job)));
}

export function storedRun(run: SettledRun): StoredSettledRun {
  return fromSettledItem({ settled: toRunText(run) });
}

export function storedRunWithFanOut(
  run: SettledRun,
  fanOut: FanOut,
): { readonly run: StoredSettledRun; readonly fanOut: FanOut } {
  return fromToldItem({ settled: toRunText(run), fan_out: asStored(fanOut) });
}

export function storedReportPlace(customerId: string, reportId: string, place: ReportPlace): ReportPlace {
  return fromReportPlaceItem(asStored(toReportPlaceItem(customerId, reportId, place)));
}

export function storedReport(
  customerId: string,
  place: ReportPlace,
  told: { readonly report: StoredChangeReport; readonly run: EventRun },
  fanOut: FanOut,
): ReportRow {
  const item = toChangeReportItem(customerId, place, told.report, told.run, fanOut);
  const { run, fanOut: stored } = fromToldReportItem(asStored(item));
  return { trackerId: place.trackerId, run: run ?? told.run, fanOut: stored };
}

/** The table keeps no prototypes and no `undefined`. */
function asStored(item: object): object {
  return JSON.parse(JSON.stringify(item));
}

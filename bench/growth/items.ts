import { toChangeReportItem, toReportPlaceItem } from '#shared/aws/table/change-report-item.ts';
import { toApiKeyFacts, toCustomerFacts } from '#shared/aws/table/customer-item.ts';
import { toDeliveryItem } from '#shared/aws/table/delivery-item.ts';
import { toEndpointItem } from '#shared/aws/table/endpoint-item.ts';
import {
  apiKeyKey,
  apiKeyListKey,
  customerKey,
  customerListKey,
  type ItemKey,
  liveEndpointKey,
  runKey,
} from '#shared/aws/table/keys.ts';
import { toRunPlace, toRunText } from '#shared/aws/table/run-item.ts';
import { toTrackerItem } from '#shared/aws/table/tracker-item.ts';
import { toCreatorVideoItem, toRunItemRow, toRunItemVersion } from '#shared/aws/table/video-item.ts';
import {
  apiKeyAt,
  customerIdAt,
  deliveryAt,
  endpointAt,
  fanOutAt,
  measured,
  reportAt,
  reportRunAt,
  runAt,
  timeOf,
  tracker,
  videoAt,
} from './records.ts';
import { rowsOfOne, type TableSize } from './sizes.ts';

export type StoredItem = ItemKey & Readonly<Record<string, unknown>>;

/** API keys of the measured customer: enough that no request limit is reached. */
export const measuredKeys = 40;

/** Deliveries of every customer that is not measured. */
const deliveriesOfOthers = 5;

/** Every item of a table of this size, as the service would have written it. */
export function* itemsOf(size: TableSize): Generator<StoredItem> {
  for (let index = 0; index < size.customers; index += 1) yield* customerItems(index);
  for (let index = 1; index < size.customers; index += 1) yield* itemsOfOther(index);
  for (let index = 0; index < measuredKeys; index += 1) yield* keyItems(index);
  for (let index = 0; index < size.stored; index += 1) {
    yield toDeliveryItem(deliveryAt(index));
    yield runItem(index);
  }
  yield toTrackerItem(measured.customerId, tracker);
  for (let index = 0; index < rowsOfOne(size); index += 1) yield* itemsOfOne(index);
}

function* customerItems(index: number): Generator<StoredItem> {
  const endpoint = endpointAt(index);
  const { customerId } = endpoint;
  const facts = toCustomerFacts({ id: customerId, name: 'A customer', createdAt: timeOf(index) });
  yield { ...customerKey(customerId), ...facts };
  yield { ...customerListKey(customerId), ...facts };
  yield { ...liveEndpointKey(customerId, endpoint.id), ...toEndpointItem(endpoint) };
}

function* itemsOfOther(index: number): Generator<StoredItem> {
  yield* keyItems(measuredKeys + index, customerIdAt(index));
  for (let count = 0; count < deliveriesOfOthers; count += 1) {
    yield toDeliveryItem(deliveryAt(index * deliveriesOfOthers + count, endpointAt(index)));
  }
}

function* keyItems(index: number, customerId?: string): Generator<StoredItem> {
  const key = apiKeyAt(index, customerId);
  yield { ...apiKeyKey(key.hash), ...toApiKeyFacts(key) };
  yield { ...apiKeyListKey(key.customerId, key.id), ...toApiKeyFacts(key) };
}

function runItem(index: number): StoredItem {
  const run = runAt(index);
  return {
    ...runKey(measured.customerId, run.id),
    settled: toRunText(run),
    fan_out: fanOutAt(index),
    ...toRunPlace(measured.customerId, run),
  };
}

/** A row in each list of the measured Run, Tracker and creator. */
function* itemsOfOne(index: number): Generator<StoredItem> {
  const { customerId, runId, trackerId, creator } = measured;
  const video = videoAt(index);
  yield toRunItemRow(customerId, runId, video);
  yield toRunItemVersion(customerId, runId, video);
  yield toCreatorVideoItem(customerId, creator, video);
  const report = reportAt(index);
  const place = { trackerId, createdAt: report.created_at };
  yield toReportPlaceItem(customerId, report.id, place);
  yield toChangeReportItem(customerId, place, report, reportRunAt(index), fanOutAt(index));
}

/** Number of items that `itemsOf` gives. */
export function countItems(size: TableSize): number {
  return (
    size.customers * 3 +
    (size.customers - 1) * (2 + deliveriesOfOthers) +
    measuredKeys * 2 +
    size.stored * 2 +
    1 +
    rowsOfOne(size) * 5
  );
}

import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { type ItemKey, runKey } from '#shared/aws/table/keys.ts';
import { toChangeReportItem } from '#shared/aws/table/results/change-report-item.ts';
import { toRunPlace, toRunText } from '#shared/aws/table/results/run-item.ts';
import { toTrackerItem } from '#shared/aws/table/results/tracker-item.ts';
import { toCreatorVideoItem, toRunItemRow } from '#shared/aws/table/results/video-item.ts';
import { readEvent } from '#shared/contract/event-body.ts';
import type { SettledRun, VideoItem } from '#shared/contract/records/given-results.ts';
import type { StoredChangeReport, StoredTracker } from '#shared/contract/records/stored-results.ts';
import type { LoggedAttempt } from '#shared/domain/attempt.ts';
import type { Creator } from '#shared/domain/creator.ts';
import { type Delivery, pendingDelivery, recorded } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { type EventRun, runCompletedBody } from '#shared/domain/event.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import { type IdKind, makeId } from '#shared/domain/ids.ts';

/**
 * The records of a measured table. Each follows from its index alone, so the position of any page is known without
 * reading the pages before it. All records of a kind have the same size: then units can be compared exactly.
 */
const stepMs = 10;

/** The last digit is never 0: DynamoDB stores a number without its trailing zeros. */
const firstTime = Date.UTC(2026, 0, 1) + 7;

const timeOf = (index: number): number => firstTime + index * stepMs;

const isoOf = (index: number): string => new Date(timeOf(index)).toISOString();

const idOf = (kind: IdKind, index: number): string =>
  makeId(kind, timeOf(index), digest(kind, String(index)));

/** The customer and the endpoint whose records are measured. */
export type Owner = { readonly customerId: string; readonly webhookId: string };

/** The Run, Tracker and creator whose lists are measured. */
export const creator: Creator = { platform: 'tiktok', handle: 'example.creator' };
export const measuredRun = idOf('run', 0);
export const tracker: StoredTracker = {
  id: idOf('tracker', 0),
  kind: 'creator',
  status: 'active',
  created_at: isoOf(0),
};

const baseUrl = 'https://a1b2c3d4e5.execute-api.us-east-1.amazonaws.com/production';

const acknowledged: LoggedAttempt = {
  at: timeOf(1),
  outcome: 'acknowledged',
  responseStatus: 200,
  error: null,
  durationMs: 123,
  timings: { dnsMs: 1, connectMs: 11, tlsMs: 21, firstByteMs: 91 },
};

export const deliveryIdAt = (index: number): string => deliveryId(timeOf(index), digest(String(index)), 1);

export function deliveryAt(index: number, { customerId, webhookId }: Owner): Delivery {
  const event = { id: idOf('event', index), createdAt: timeOf(index) };
  const body = runCompletedBody(event, eventRunAt(index), baseUrl);
  const id = deliveryIdAt(index);
  const pending = pendingDelivery({ id, customerId, webhookId, body, event: readEvent(body) });
  const ended = { status: 'delivered', endedAt: timeOf(index + 1) } as const;
  return recorded({ ...pending, attempts: 1 }, acknowledged, ended);
}

function eventRunAt(index: number): EventRun {
  const { id, kind, status, charge_usd: chargeUsd } = runAt(index);
  return { id, kind, status, chargeUsd, trackerId: null };
}

export const runIdAt = (index: number): string => idOf('run', index);

export function runAt(index: number): SettledRun {
  return {
    id: runIdAt(index),
    kind: 'creator_videos',
    status: 'completed',
    tracker_id: null,
    charge_usd: 0.25,
    created_at: isoOf(index),
    settled_at: isoOf(index + 1),
    error: null,
    problems: null,
  };
}

function fanOutAt(index: number, { webhookId }: Owner): FanOut {
  return {
    eventId: idOf('event', index),
    acceptedAt: timeOf(index),
    deliveries: [{ webhookId, deliveryId: deliveryIdAt(index) }],
  };
}

export function videoAt(index: number): VideoItem {
  const number = String(index).padStart(9, '0');
  const at = isoOf(index);
  return {
    platform: creator.platform,
    id: number,
    url: `https://www.tiktok.com/@example.creator/video/${number}`,
    description: 'A video',
    posted_at: at,
    duration_seconds: 30,
    thumbnail_url: `https://cdn.example.com/${number}.jpg`,
    hashtags: ['example'],
    sound: { id: 'snd_1', title: 'Original sound' },
    creator: { id: 'cre_1', handle: creator.handle, name: 'Creator', follower_count: 10 },
    snapshot: { at, views: 1, likes: 2, comments: 3, shares: 4, saves: 5 },
    scores: null,
  };
}

export function reportAt(index: number): StoredChangeReport {
  return { id: idOf('changeReport', index), run_id: runIdAt(index), created_at: isoOf(index) };
}

/** How much a table holds while it is measured. */
export type TableSize = {
  readonly title: string;
  /** Deliveries of the measured endpoint, and Runs of its customer. A multiple of 1,000. */
  readonly stored: number;
};

/** The size that every other one is compared with comes first. */
export const tableSizes: readonly TableSize[] = [
  { title: '1 thousand', stored: 1_000 },
  { title: '100 thousand', stored: 100_000 },
];

/** Also measured with `--large`. */
export const largestSize: TableSize = { title: '1 million', stored: 1_000_000 };

/** Rows in each list of a single Run, Tracker and creator: a tenth of the deliveries, 10 thousand at most. */
export const rowsOfOne = ({ stored }: TableSize): number => Math.min(stored / 10, 10_000);

export type StoredItem = ItemKey & Readonly<Record<string, unknown>>;

/** The items of a table of this size, as the service would have written them. */
export function* itemsOf(size: TableSize, owner: Owner): Generator<StoredItem> {
  for (let index = 0; index < size.stored; index += 1) {
    yield toDeliveryItem(deliveryAt(index, owner));
    const run = runAt(index);
    yield {
      ...runKey(owner.customerId, run.id),
      settled: toRunText(run),
      fan_out: fanOutAt(index, owner),
      ...toRunPlace(owner.customerId, run),
    };
  }
  yield toTrackerItem(owner.customerId, tracker);
  for (let index = 0; index < rowsOfOne(size); index += 1) yield* itemsOfOne(index, owner);
}

/** A row in each list of the measured Run, Tracker and creator. */
function* itemsOfOne(index: number, owner: Owner): Generator<StoredItem> {
  const { customerId } = owner;
  const video = videoAt(index);
  yield toRunItemRow(customerId, measuredRun, video);
  yield toCreatorVideoItem(customerId, creator, video);
  const report = reportAt(index);
  const place = { trackerId: tracker.id, createdAt: report.created_at };
  const run = { ...eventRunAt(index), trackerId: tracker.id };
  yield toChangeReportItem(customerId, place, report, run, fanOutAt(index, owner));
}

import type { Delivery, DeliveryStatus } from './delivery.ts';
import { idTime } from './ids.ts';

/** Most deliveries that the figures are of. */
export const statsDeliveries = 47;

/** Most buckets of the outcome over time. */
export const maxBuckets = 24;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The lengths that a bucket can have, so that it begins at a time that people would choose. Milliseconds. */
const bucketLengths = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 30].map((count) => count * day),
];
const longest = 365 * day;

export type StatusCounts = Readonly<Record<DeliveryStatus, number>>;

/** Attempts that failed for the same reason. */
export type FailureCount = {
  /** An `AttemptOutcome`, or an outcome of another release. */
  readonly outcome: string;
  readonly responseStatus: number | null;
  readonly attempts: number;
};

/** The deliveries that were created from `from`, epoch milliseconds, to the next bucket, by status. */
export type OutcomeBucket = { readonly from: number; readonly counts: StatusCounts };

/** Figures of some deliveries of an endpoint. Times are epoch milliseconds. */
export type DeliveryStats = {
  /** When the oldest delivery was created; `null` without deliveries. */
  readonly from: number | null;
  readonly to: number;
  readonly deliveries: number;
  readonly counts: StatusCounts;
  /** Of those that ended, from 0 to 1 with four digits; `null` when none has. */
  readonly deliveredShare: number | null;
  /** Milliseconds of the attempts that got a response, by nearest rank; `null` without one. */
  readonly responseTimes: { readonly p50: number; readonly p95: number } | null;
  /** The most frequent first. */
  readonly failures: readonly FailureCount[];
  /** Milliseconds; `null` without deliveries. */
  readonly bucketLength: number | null;
  /** Oldest first and without gaps, at most `maxBuckets`. */
  readonly buckets: readonly OutcomeBucket[];
};

/** What of an endpoint's deliveries the figures leave out. */
export type WindowLimits = {
  /** Whether older deliveries are stored. */
  readonly olderLeftOut: boolean;
  /** Whether other partitions of the endpoint, which were not read, hold deliveries of the same time. */
  readonly sampled: boolean;
};

export type WebhookStats = DeliveryStats & WindowLimits;

/** @param now epoch milliseconds */
export function deliveryStats(deliveries: readonly Delivery[], now: number): DeliveryStats {
  const times = deliveries.map(({ id }) => idTime(id));
  const from = times.length === 0 ? null : Math.min(...times);
  // The clock of the function that made a delivery may be ahead.
  const to = Math.max(now, ...times);
  const counts = countsOf(deliveries);
  return {
    from,
    to,
    deliveries: deliveries.length,
    counts,
    deliveredShare: shareOf(counts),
    responseTimes: responseTimesOf(deliveries),
    failures: failuresOf(deliveries),
    ...bucketsOf(deliveries, from, to),
  };
}

function countsOf(deliveries: readonly Delivery[]): StatusCounts {
  const counts = { pending: 0, delivered: 0, failed: 0 };
  for (const { status } of deliveries) counts[status] += 1;
  return counts;
}

/** Of the deliveries that ended, from 0 to 1 with four digits; `null` when none has. */
export function deliveredShareOf(deliveries: readonly Delivery[]): number | null {
  return shareOf(countsOf(deliveries));
}

function shareOf({ delivered, failed }: StatusCounts): number | null {
  const ended = delivered + failed;
  return ended === 0 ? null : Math.round((delivered / ended) * 10_000) / 10_000;
}

function responseTimesOf(deliveries: readonly Delivery[]): DeliveryStats['responseTimes'] {
  const sorted = deliveries
    .flatMap(({ log }) => log)
    .filter(({ responseStatus }) => responseStatus !== null)
    .map(({ durationMs }) => durationMs)
    .sort((left, right) => left - right);
  const [p50, p95] = [0.5, 0.95].map((share) => sorted[Math.ceil(share * sorted.length) - 1]);
  return p50 === undefined || p95 === undefined ? null : { p50, p95 };
}

/** Failed attempts also show an outage whose deliveries have attempts left. */
function failuresOf(deliveries: readonly Delivery[]): readonly FailureCount[] {
  const found = new Map<string, FailureCount>();
  for (const { outcome, responseStatus } of deliveries.flatMap(({ log }) => log)) {
    if (outcome === 'acknowledged') continue;
    const key = `${outcome} ${responseStatus}`;
    const attempts = (found.get(key)?.attempts ?? 0) + 1;
    found.set(key, { outcome, responseStatus, attempts });
  }
  return [...found]
    .sort(([left, a], [right, b]) => b.attempts - a.attempts || (left < right ? -1 : 1))
    .map(([, failure]) => failure);
}

function bucketsOf(
  deliveries: readonly Delivery[],
  from: number | null,
  to: number,
): Pick<DeliveryStats, 'bucketLength' | 'buckets'> {
  if (from === null) return { bucketLength: null, buckets: [] };
  const numberOf = (time: number, length: number) => Math.floor(time / length);
  const needed = (length: number) => numberOf(to, length) - numberOf(from, length) + 1;
  const length = bucketLengths.find((each) => needed(each) <= maxBuckets) ?? longest;
  const first = numberOf(from, length);
  const buckets = Array.from({ length: needed(length) }, (_, index): OutcomeBucket => {
    const inside = deliveries.filter(({ id }) => numberOf(idTime(id), length) === first + index);
    return { from: (first + index) * length, counts: countsOf(inside) };
  });
  return { bucketLength: length, buckets };
}

import type { LoggedAttempt } from './attempt.ts';
import type { Delivery, DeliveryStatus } from './delivery.ts';
import { idTime } from './ids.ts';
import { type StatsWindow, windowBuckets } from './stats-window.ts';

export type StatusCounts = Readonly<Record<DeliveryStatus, number>>;

/** What figures take of a delivery. */
export type ObservedDelivery = Pick<Delivery, 'id' | 'status' | 'replayOf'> & {
  readonly log: readonly Pick<LoggedAttempt, 'outcome' | 'responseStatus' | 'durationMs'>[];
};

/** A delivery that stands for `weight` deliveries of its time, itself included. */
export type WeightedDelivery = { readonly delivery: ObservedDelivery; readonly weight: number };

/** Attempts that failed for the same reason. */
export type FailureCount = {
  /** An `AttemptOutcome`, or an outcome of another release. */
  readonly outcome: string;
  readonly responseStatus: number | null;
  readonly attempts: number;
};

/** The deliveries that were created from `from`, epoch milliseconds, to the next bucket, by status. */
export type OutcomeBucket = {
  readonly from: number;
  readonly counts: StatusCounts;
  readonly replays: StatusCounts;
};

/** Figures of the deliveries of a window. Only `replays` are of replays, so that a resend changes no other. */
export type DeliveryStats = {
  readonly counts: StatusCounts;
  readonly replays: StatusCounts;
  /** Of those that ended, from 0 to 1 with four digits; `null` when none has. */
  readonly deliveredShare: number | null;
  /** Milliseconds of the attempts that got a response, by nearest rank; `null` without one. */
  readonly responseTimes: { readonly p50: number; readonly p95: number } | null;
  /** The most frequent first. */
  readonly failures: readonly FailureCount[];
  /** Oldest first and without gaps: `windowBuckets`. */
  readonly buckets: readonly OutcomeBucket[];
};

export function deliveryStats(deliveries: readonly WeightedDelivery[], window: StatsWindow): DeliveryStats {
  const isReplay = ({ delivery }: WeightedDelivery) => delivery.replayOf !== null;
  const originals = deliveries.filter((each) => !isReplay(each));
  const over = bucketCounts(originals, window);
  const replays = bucketCounts(deliveries.filter(isReplay), window);
  const counts = sumOf(over);
  return {
    counts,
    replays: sumOf(replays),
    deliveredShare: shareOf(counts),
    responseTimes: responseTimesOf(originals),
    failures: failuresOf(originals),
    buckets: over.map((each, index) => ({
      from: window.from + index * window.bucketLength,
      counts: each,
      replays: replays[index] ?? none,
    })),
  };
}

const none: StatusCounts = { pending: 0, delivered: 0, failed: 0 };

/** The clock of the function that made a delivery may be ahead: the last bucket has what is later. */
function bucketCounts(deliveries: readonly WeightedDelivery[], { from, bucketLength }: StatsWindow) {
  const buckets = Array.from({ length: windowBuckets }, () => ({ ...none }));
  for (const { delivery, weight } of deliveries) {
    const index = Math.floor((idTime(delivery.id) - from) / bucketLength);
    const bucket = buckets[Math.min(index, windowBuckets - 1)];
    if (bucket !== undefined) bucket[delivery.status] += weight;
  }
  return buckets.map(({ pending, delivered, failed }) => ({
    pending: Math.round(pending),
    delivered: Math.round(delivered),
    failed: Math.round(failed),
  }));
}

/** Of rounded counts, so that the sums are those of the buckets. */
function sumOf(buckets: readonly StatusCounts[]): StatusCounts {
  const sum = (status: DeliveryStatus) => buckets.reduce((total, counts) => total + counts[status], 0);
  return { pending: sum('pending'), delivered: sum('delivered'), failed: sum('failed') };
}

/** Of the deliveries that ended, from 0 to 1 with four digits; `null` when none has. */
export function deliveredShareOf(deliveries: readonly Pick<Delivery, 'status'>[]): number | null {
  const counts = { ...none };
  for (const { status } of deliveries) counts[status] += 1;
  return shareOf(counts);
}

/** Rounded down, so that only all deliveries are 1. */
function shareOf({ delivered, failed }: StatusCounts): number | null {
  const ended = delivered + failed;
  return ended === 0 ? null : Math.floor((delivered * 10_000) / ended) / 10_000;
}

/** Keeps the sum of weights from missing a rank by the error of its additions. */
const rounding = 1e-6;

function responseTimesOf(deliveries: readonly WeightedDelivery[]): DeliveryStats['responseTimes'] {
  const times = deliveries
    .flatMap(({ delivery, weight }) => delivery.log.map((attempt) => ({ ...attempt, weight })))
    .filter(({ responseStatus }) => responseStatus !== null)
    .sort((left, right) => left.durationMs - right.durationMs);
  const total = times.reduce((sum, { weight }) => sum + weight, 0);
  const [p50, p95] = [0.5, 0.95].map((share) => {
    let sum = 0;
    return times.find(({ weight }) => {
      sum += weight;
      return sum >= share * total - rounding;
    })?.durationMs;
  });
  return p50 === undefined || p95 === undefined ? null : { p50, p95 };
}

/** Failed attempts also show an outage whose deliveries have attempts left. */
function failuresOf(deliveries: readonly WeightedDelivery[]): readonly FailureCount[] {
  const found = new Map<string, FailureCount>();
  for (const { delivery, weight } of deliveries) {
    for (const { outcome, responseStatus } of delivery.log) {
      if (outcome === 'acknowledged') continue;
      const key = `${outcome} ${responseStatus}`;
      const attempts = (found.get(key)?.attempts ?? 0) + weight;
      found.set(key, { outcome, responseStatus, attempts });
    }
  }
  return [...found]
    .map(([key, failure]) => ({ key, ...failure, attempts: Math.round(failure.attempts) }))
    .sort((left, right) => right.attempts - left.attempts || (left.key < right.key ? -1 : 1))
    .map(({ key: _key, ...failure }) => failure);
}

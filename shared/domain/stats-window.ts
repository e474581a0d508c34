/** The times that figures can be of. */
export const statsWindows = ['1h', '24h', '7d'] as const;
export type StatsWindowName = (typeof statsWindows)[number];

/** Number of buckets of every window. */
export const windowBuckets = 24;

const hour = 3_600_000;
const lengths: Readonly<Record<StatsWindowName, number>> = { '1h': hour, '24h': 24 * hour, '7d': 168 * hour };

/** Times are epoch milliseconds. */
export type StatsWindow = {
  readonly name: StatsWindowName;
  /** The beginning of the first bucket. */
  readonly from: number;
  readonly to: number;
  /** Milliseconds. */
  readonly bucketLength: number;
};

/**
 * The window that ends now. Its buckets begin at whole multiples of their length, so that one that is over does not
 * change with the time of the question; the last one is not over, so the window is up to a bucket shorter than its name.
 *
 * @param now epoch milliseconds
 */
export function statsWindow(name: StatsWindowName, now: number): StatsWindow {
  const bucketLength = lengths[name] / windowBuckets;
  const from = (Math.floor(now / bucketLength) - windowBuckets + 1) * bucketLength;
  return { name, from, to: now, bucketLength };
}

import type { ReplaySelection } from '#shared/domain/bulk-replay.ts';
import type { DeliveryHistory } from '#shared/operations/customer/list-deliveries.ts';

/** The deliveries of a selection as numbers. Times are epoch milliseconds; `null` when there is nothing to replay. */
export type ReplayableCount = {
  readonly replayable: number;
  /** Selected deliveries that have a replay already. */
  readonly replayedEarlier: number;
  readonly oldest: number | null;
  readonly newest: number | null;
  /** `false` when the count ended before everything was read; the numbers are then lower bounds. */
  readonly complete: boolean;
};

/** What a count found so far. */
export type CountProgress = Pick<ReplayableCount, 'replayable' | 'replayedEarlier'>;

/**
 * Counts selected deliveries. The newest writes may be missing.
 *
 * @param mayContinue called before each round of reads; once it returns `false`, the count ends incomplete
 */
export type CountReplayable = (
  endpoint: DeliveryHistory,
  selection: ReplaySelection,
  mayContinue: (progress: CountProgress) => boolean,
) => Promise<ReplayableCount>;

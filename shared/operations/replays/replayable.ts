import type { ReplaySelection } from '#shared/domain/bulk-replay.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { DeliveryHistory } from '#shared/operations/customer/list-deliveries.ts';
import type { Rows } from '#shared/operations/customer/paging.ts';

/**
 * Reads selected deliveries of an endpoint in the order of their ids. Deliveries with a replay are among them. The newest
 * writes may be missing.
 *
 * @param after the id after which they begin; `null` for the oldest
 * @returns at most `limit` deliveries. `next` is the id after which the rest begins, `null` when there is none; there can
 *   be a rest after fewer deliveries than the limit, or none, because each call reads a bounded number of deliveries
 */
export type ReadReplayable = (
  endpoint: DeliveryHistory,
  selection: ReplaySelection,
  after: string | null,
  limit: number,
) => Promise<Rows<Delivery>>;

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

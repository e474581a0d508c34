import type { ReplaySelection } from '#shared/domain/bulk-replay.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { DeliveryHistory } from '#shared/operations/customer/list-deliveries.ts';

/** Where a page of replayable deliveries begins and ends, and which ones it leaves out. */
export type ReplayablePosition = {
  /** The id after which it begins; `null` for the oldest. */
  readonly after: string | null;
  /** The most deliveries it has, without those that it leaves out. */
  readonly limit: number;
  /** Whether the replay of a delivery was made by the reader, so that the delivery is not left out. */
  readonly isOwn: (id: string, replayedBy: string) => boolean;
};

export type ReplayablePage = {
  /** In the order of their ids. */
  readonly deliveries: readonly Delivery[];
  /** Ids of the selected deliveries in between that have a replay already, in order. */
  readonly replayedEarlier: readonly string[];
  /**
   * The id after which the rest begins; `null` when there is none. There can be a rest after fewer deliveries than the
   * limit, or none, because each call reads a bounded number of deliveries.
   */
  readonly next: string | null;
};

/** Reads selected deliveries of an endpoint in the order of their ids. The newest writes may be missing. */
export type ReadReplayable = (
  endpoint: DeliveryHistory,
  selection: ReplaySelection,
  position: ReplayablePosition,
) => Promise<ReplayablePage>;

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

/** What a count has done so far. */
export type CountProgress = Pick<ReplayableCount, 'replayable' | 'replayedEarlier'> & {
  /** Deliveries that it read, selected or not: they decide what it costs. */
  readonly read: number;
};

/** How far a count reads. */
export type CountLimits = {
  /** Maximum number of deliveries that one round reads; left out: as many as the table returns at once. */
  readonly roundReads?: number;
  /** Called before each round of reads; once it returns `false`, the count ends incomplete. */
  readonly mayContinue: (progress: CountProgress) => boolean | Promise<boolean>;
};

/** Counts selected deliveries. The newest writes may be missing. */
export type CountReplayable = (
  endpoint: DeliveryHistory,
  selection: ReplaySelection,
  limits: CountLimits,
) => Promise<ReplayableCount>;

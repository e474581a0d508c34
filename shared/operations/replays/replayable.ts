import type { Delivery, DeliveryStatus } from '#shared/domain/delivery.ts';
import type { DeliveryHistory } from '#shared/operations/customer/list-deliveries.ts';
import type { PageRequest, Rows } from '#shared/operations/customer/paging.ts';

/**
 * The finished deliveries that a bulk replay is asked to send again: those with the status that were created in a span
 * of time. A `webhook.test` event is never among them.
 */
export type ReplayRange = {
  readonly status: Exclude<DeliveryStatus, 'pending'>;
  /** Epoch milliseconds, included. */
  readonly from: number;
  /** Epoch milliseconds, not included. */
  readonly to: number;
};

/** What a replay repeats of a delivery. */
export type ReplayableDelivery = Pick<Delivery, 'id' | 'customerId' | 'webhookId' | 'body' | 'event'>;

/**
 * Reads the deliveries of a range that were not replayed yet, oldest first, over all partitions of the endpoint. The
 * newest writes may be missing, and a delivery may have been replayed meanwhile, so every write must be conditional. A
 * page can be short or empty without being the last: each call reads a bounded number of stored deliveries.
 */
export type ReadReplayable = (
  endpoint: DeliveryHistory,
  range: ReplayRange,
  page: PageRequest,
) => Promise<Rows<ReplayableDelivery>>;

/** The deliveries of a range as numbers. Times are epoch milliseconds; `null` when there is nothing to replay. */
export type ReplayableCount = {
  readonly replayable: number;
  /** Deliveries of the range that have a replay already. */
  readonly replayedEarlier: number;
  readonly oldest: number | null;
  readonly newest: number | null;
  /** `false` when the count ended before everything was read; the numbers are then lower bounds. */
  readonly complete: boolean;
};

/** What a count found so far. */
export type CountProgress = Pick<ReplayableCount, 'replayable' | 'replayedEarlier'>;

/**
 * Counts the deliveries of a range. The newest writes may be missing.
 *
 * @param mayContinue called before each round of reads; once it returns `false`, the count ends incomplete
 */
export type CountReplayable = (
  endpoint: DeliveryHistory,
  range: ReplayRange,
  mayContinue: (progress: CountProgress) => boolean,
) => Promise<ReplayableCount>;

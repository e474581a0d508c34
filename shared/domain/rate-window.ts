/**
 * The request limit as a sliding window: in no span of `rateWindowMs` are more than `rateLimit` requests admitted. Kept
 * are the times of the last admitted requests in two lists: `current` fills up, while `previous`, the full one before
 * it, is used up at the same pace. The next request is admitted when the one that is exactly `rateLimit` requests older
 * has left the window.
 */
export const rateLimit = 60;
export const rateWindowMs = 60_000;

/** A request that is to be admitted or refused. */
export type CountedRequest = {
  readonly credentialId: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Random: tells the repeated write of one request from the write of another one. */
  readonly mark: string;
};

/**
 * Epoch milliseconds, oldest first, 0 for a request that never was. The two lists have `rateLimit` entries and one more:
 * the first of `previous` has made room already.
 */
export type RateWindow = { readonly previous: readonly number[]; readonly current: readonly number[] };

/** What a window means at a time. */
export type RateState = {
  /** Requests that would be admitted at once. */
  readonly remaining: number;
  /** Milliseconds until the oldest request in the window leaves it, `rateWindowMs` at most; 0 when it is empty. */
  readonly resetMs: number;
  /**
   * When the next request will be admitted, epoch milliseconds: `rateWindowMs` after `now` at most, and not after `now`
   * while `remaining` is above 0.
   */
  readonly nextAt: number;
};

/**
 * The clocks of function instances differ by a little. A time after `now` is one that a faster clock wrote: it counts as
 * `now`, so that no client waits longer than a window lasts.
 */
export function rateState({ previous, current }: RateWindow, now: number): RateState {
  const last = [...previous, ...current].slice(-rateLimit).map((time) => Math.min(time, now));
  const inside = last.filter((time) => time > now - rateWindowMs);
  const oldest = inside[0];
  return {
    remaining: Math.max(0, rateLimit - inside.length),
    resetMs: oldest === undefined ? 0 : oldest + rateWindowMs - now,
    nextAt: (last[0] ?? 0) + rateWindowMs,
  };
}

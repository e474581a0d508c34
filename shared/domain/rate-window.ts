/**
 * The request limit as a sliding window: in no span of `windowMs` are more than `limit` requests admitted. Kept are
 * the times of the last admitted requests in two lists: `current` fills up, `previous` is the full one before it. The
 * request that would become number n of `current` is admitted when number n of `previous`, which is exactly `limit`
 * requests older, has left the window.
 */
export const rateLimit = 60;
export const rateWindowMs = 60_000;

/** Epoch milliseconds, oldest first. `previous` has `rateLimit` entries, 0 for one that never was. */
export type RateWindow = { readonly previous: readonly number[]; readonly current: readonly number[] };

/** What a window means at a time. */
export type RateState = {
  /** Requests that would be admitted at once. */
  readonly remaining: number;
  /** Milliseconds until the oldest request in the window leaves it; 0 when it is empty. */
  readonly resetMs: number;
  /** When the next request will be admitted, epoch milliseconds; not after `now` while `remaining` is above 0. */
  readonly nextAt: number;
};

export function rateState(window: RateWindow, now: number): RateState {
  const last = [...window.previous.slice(window.current.length), ...window.current];
  const inside = last.filter((time) => time > now - rateWindowMs);
  const oldest = inside[0];
  return {
    remaining: Math.max(0, rateLimit - inside.length),
    resetMs: oldest === undefined ? 0 : oldest + rateWindowMs - now,
    nextAt: (blockingTime(window) ?? 0) + rateWindowMs,
  };
}

/** The time of the request that is exactly `rateLimit` older than the next one. */
function blockingTime({ previous, current }: RateWindow): number | undefined {
  return current.length < rateLimit ? previous[current.length] : current[0];
}

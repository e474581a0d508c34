/**
 * The request limit as a sliding window: no span of `rateWindowMs` admits more than `rateLimit` requests. Two lists
 * keep the times of the last admitted requests: `current` fills up, while `previous`, the last full list, is used up at
 * the same pace. The next request is admitted when the request `rateLimit` places before it has left the window.
 */
export const rateLimit = 60;
/** Milliseconds. */
export const rateWindowMs = 60_000;

/** A request to admit or refuse. */
export type CountedRequest = {
  readonly credentialId: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Random: distinguishes a retried write of this request from the write of another one. */
  readonly mark: string;
};

/**
 * Epoch milliseconds, oldest first; 0 stands for no request. Together the lists have `rateLimit` + 1 entries: the first
 * entry of `previous` has already made room.
 */
export type RateWindow = { readonly previous: readonly number[]; readonly current: readonly number[] };

/** The state of a window at one time. */
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
 * Evaluates a window at `now`, epoch milliseconds. The clocks of function instances differ slightly: a time after
 * `now`, written by a faster clock, counts as `now`, so that no client waits longer than one window.
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

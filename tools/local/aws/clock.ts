/** A source of time; tests control their own. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls back once after `delayMs`. Returns a function that cancels the call. */
  setTimer(callback: () => void, delayMs: number): () => void;
};

/** Node runs a timer with a longer delay immediately. */
const maxDelayMs = 2 ** 31 - 1;

/** The machine's clock. A delay over 24 days is cut to 24 days, so the callback must check the time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer: (callback, delayMs) => {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), maxDelayMs));
    return () => clearTimeout(timer);
  },
};

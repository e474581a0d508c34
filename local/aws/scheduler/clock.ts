/** Time for the stand-ins; tests pass a clock that they control. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls back once after `delayMs`, and returns a function that cancels this. */
  setTimer(callback: () => void, delayMs: number): () => void;
};

/** With a longer delay, Node calls back at once. */
const longestDelayMs = 2 ** 31 - 1;

/** The machine's clock. A delay over 24 days is cut to 24 days, so the callback must check the time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer: (callback, delayMs) => {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), longestDelayMs));
    return () => clearTimeout(timer);
  },
};

/** Time as the stand-ins see it; tests pass one that they turn by hand. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls back once after `delayMs`, and returns what takes that back. */
  setTimer(callback: () => void, delayMs: number): () => void;
};

/** A longer delay makes Node call back at once. */
const longestDelayMs = 2 ** 31 - 1;

/** The machine's clock. A delay over 24 days is cut to that: who uses it must look again when called. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer: (callback, delayMs) => {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), longestDelayMs));
    return () => clearTimeout(timer);
  },
};

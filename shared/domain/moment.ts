/** A time by two clocks, in milliseconds: the time of day, and one that nobody sets. */
export type Moment = { readonly now: number; readonly monotonic: number };

/**
 * Whether what was read at one moment still counts at another. Both clocks have to say so: the time of day may be set
 * back, and the other clock may stand still while the process is frozen.
 */
export function isRecent(readAt: Moment, at: Moment, timeToLive: number): boolean {
  const age = at.now - readAt.now;
  return age >= 0 && age < timeToLive && at.monotonic - readAt.monotonic < timeToLive;
}

/** An organization that uses the API. Times are epoch milliseconds. */
export type Customer = {
  readonly id: string;
  /** The operator's name for the customer; no customer sees it. */
  readonly name: string;
  /** The name that the customer sees; empty or absent when the operator gave it none. */
  readonly publicName?: string | undefined;
  readonly createdAt: number;
};

/**
 * How long a running instance of the intake remembers that a customer exists, in milliseconds. A deletion waits as
 * long before its last pass.
 */
export const customerMemory = 60_000;

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

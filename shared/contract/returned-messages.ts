/**
 * How often a message that a function returned to its queue comes back early, and the seconds after which it first does.
 * Each wait is twice as long as the one before.
 */
export const earlyReturns = 8;
const firstWait = 1;

/**
 * Seconds after which a returned message is visible again, or `null` when it stays hidden for the visibility timeout of
 * its queue. Most failures pass within seconds; while one lasts, a message must not use up its receives.
 *
 * @param receives how often the message was received, this time included
 */
export function waitAfterReturn(receives: number): number | null {
  return receives > earlyReturns ? null : firstWait * 2 ** (receives - 1);
}

/** So long that a message that is put off uses up its receives only after most of a day. */
const longestLater = 600;

/**
 * Seconds after which a message that was put off is visible again. Each wait is half as long again as the one before: a
 * message that has waited long is one of many.
 *
 * @param seconds the first wait
 * @param spread by which a wait is multiplied, the longest one too: those of an endpoint must not come back together
 * @param receives how often the message was received, this time included
 */
export function waitUntilLater(seconds: number, spread: number, receives: number): number {
  return Math.ceil(Math.min(longestLater, seconds * 1.5 ** (receives - 1)) * spread);
}

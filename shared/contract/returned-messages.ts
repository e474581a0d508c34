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

/**
 * The queue that carries an attempt, with the functions that consume it. Attempts at slow endpoints wait for each
 * other in the slow lane, so that they share functions and hold none that quick endpoints need.
 */
export const lanes = ['ordinary', 'slow'] as const;
export type Lane = (typeof lanes)[number];

/**
 * An endpoint that keeps an attempt waiting for this long is marked as slow: for its address, a connection, a TLS
 * handshake, the response, or the end of the response. Only the time of the other side counts. Milliseconds.
 *
 * It is also about how long a slow endpoint can fill the ordinary lane before its mark: at five attempts a second, it
 * then holds the five functions that Lambda starts with.
 */
export const slowAfter = 1_000;

/** An attempt was quick, with any outcome, if the receiver kept it waiting for no longer than this. Milliseconds. */
export const quickWithin = 500;

/** Minimum age of a mark before it is cleared, in milliseconds: an endpoint that flaps costs two writes in this time. */
export const slowFor = 60_000;

/** Since when an endpoint is marked as slow, in epoch milliseconds; `null`: it is not. */
type Marked = { readonly slowSince: number | null };

/** The lane of the attempts at an endpoint. */
export function laneOf({ slowSince }: Marked): Lane {
  return slowSince === null ? 'ordinary' : 'slow';
}

/**
 * Whether the attempts that one worker made clear the mark of their endpoint: one of them was quick, and none was slow.
 * Attempts of a large batch delay each other a little, so not all of them have to be quick.
 *
 * @param waits milliseconds for which the receiver kept each attempt waiting
 * @param now epoch milliseconds
 */
export function isQuickAgain({ slowSince }: Marked, waits: readonly number[], now: number): boolean {
  if (slowSince === null || now - slowSince < slowFor) return false;
  return waits.some((wait) => wait <= quickWithin) && Math.max(...waits) < slowAfter;
}

/**
 * The retry plan: three attempts, the second about 10 minutes after the first, the third about 50 minutes after the
 * second. A handshake is a single attempt.
 */
const minute = 60_000;

/** Waits after the first and the second failed attempt, in milliseconds. */
const waits = [10 * minute, 50 * minute] as const;

export const maxAttempts = waits.length + 1;

/** Time limit of an attempt in milliseconds, from its start to the complete response headers. */
export const attemptTimeout = 10_000;

/**
 * Duration of a claim in milliseconds. A worker may start its POST within `claimGrace` of the claim, so the POST is
 * over when the lease ends and another worker records the attempt as interrupted.
 */
export const claimLease = 30_000;
export const claimGrace = 10_000;

/**
 * Milliseconds that a worker must have left before its function ends: to begin a POST (the attempt and its record),
 * and to claim an attempt (the claim as well). A worker that ends in between would use up an attempt without a POST.
 */
export const timeToPost = attemptTimeout + 3_000;
export const timeToClaim = timeToPost + 3_000;

/**
 * @param attempt number of the attempt that failed, from 1
 * @param failedAt epoch milliseconds
 * @returns when the next one is due, or `null` after the last
 */
export function nextAttemptAt(attempt: number, failedAt: number): number | null {
  const wait = waits[attempt - 1];
  return wait === undefined ? null : failedAt + wait;
}

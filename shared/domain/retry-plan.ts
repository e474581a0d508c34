/**
 * The retry plan: three attempts, the second about 10 minutes after the first, the third about 50 minutes after the
 * second. A handshake is a single attempt.
 */
const minute = 60_000;

/** Waits after the first and the second failed attempt, in milliseconds. */
export const retryWaits = [10 * minute, 50 * minute] as const;

/**
 * By how much of itself a wait may be shorter or longer. Attempts that failed together would otherwise come back
 * together, and fail again at a receiver that answers a few at once.
 */
export const waitSpread = 0.1;

export const maxAttempts = retryWaits.length + 1;

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
 * The same for every part of the service, because it follows from the id of the delivery.
 *
 * @param attempt number of the attempt that failed, from 1
 * @param failedAt epoch milliseconds
 * @returns when the next one is due, or `null` after the last
 */
export function nextAttemptAt(deliveryId: string, attempt: number, failedAt: number): number | null {
  const wait = retryWaits[attempt - 1];
  if (wait === undefined) return null;
  return failedAt + Math.round(wait * (1 + waitSpread * (2 * fractionOf(`${deliveryId} ${attempt}`) - 1)));
}

/** A number from 0 up to 1 that looks random: FNV-1a, with the last step of MurmurHash3, which spreads each bit. */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

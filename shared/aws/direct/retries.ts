import { ServiceError } from './service-error.ts';

/** Which errors are tried again, when and how often: as the AWS SDK does. */

export type RetryReason = 'busy' | 'failed';

const busyNames: ReadonlySet<string> = new Set([
  'BandwidthLimitExceeded',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);

const failureNames: ReadonlySet<string> = new Set([
  'RequestTimeout',
  'RequestTimeoutException',
  'TimeoutError',
  // A write that met a transaction on the same item. The SDK leaves this one to its caller.
  'TransactionConflictException',
]);

const failureStatuses: ReadonlySet<number> = new Set([500, 502, 503, 504]);

const networkCodes: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** @returns `null` when a retry would fail in the same way */
export function retryReason(error: unknown): RetryReason | null {
  if (!(error instanceof Error)) return null;
  const status = error instanceof ServiceError ? error.httpStatus : 0;
  if (busyNames.has(error.name) || status === 429) return 'busy';
  const code = 'code' in error ? String(error.code) : '';
  const failed = failureNames.has(error.name) || failureStatuses.has(status) || networkCodes.has(code);
  return failed ? 'failed' : null;
}

/** Milliseconds before the first retry, at most; each later one may wait twice as long as the one before. */
const basePauses = { busy: 1_000, failed: 50 } as const;
const maxPause = 20_000;

/** @param retry 1 for the first one. @param random from 0 to 1 */
export function retryPause(reason: RetryReason, retry: number, random: number): number {
  return Math.floor(random * Math.min(maxPause, basePauses[reason] * 2 ** (retry - 1)));
}

const fullBudget = 500;
const costs = { busy: 5, failed: 14 } as const;

/** Limits the retries of a client, so that they do not multiply the load on a service that fails all requests. */
export class RetryBudget {
  #left = fullBudget;

  /** @returns whether the budget had room for a retry */
  take(reason: RetryReason): boolean {
    if (this.#left < costs[reason]) return false;
    this.#left -= costs[reason];
    return true;
  }

  /** Notes a success. @param reason of its last retry, which is given back; `null` without one */
  giveBack(reason: RetryReason | null): void {
    this.#left = Math.min(fullBudget, this.#left + (reason === null ? 1 : costs[reason]));
  }
}

/**
 * When stored rows expire. DynamoDB removes an expired row within days, so its time decides whether it is served.
 */
export type Retention = {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Days for which finished deliveries and stored results are kept; `null` keeps them. */
  readonly days: number | null;
};

const secondsPerDay = 24 * 60 * 60;

/**
 * Additional days of rows that are reached through others: the items of a Run, the place of a Change Report. They are
 * stored before the row that they belong to gets its time, and no later write changes them, so they must not expire
 * before it.
 */
export const dependentDays = 30;

/** @param at epoch milliseconds. @returns epoch seconds; `null` when rows are kept */
export function expiryAt({ days }: Pick<Retention, 'days'>, at: number): number | null {
  return days === null ? null : Math.ceil(at / 1000) + days * secondsPerDay;
}

/** The same for a row that is reached through others. */
export function dependentExpiryAt({ days }: Pick<Retention, 'days'>, at: number): number | null {
  return expiryAt({ days: days === null ? null : days + dependentDays }, at);
}

/** @param expiresAt epoch seconds, or `undefined` for a row that is kept. @param now epoch milliseconds */
export function isExpired(expiresAt: unknown, now: number): boolean {
  return typeof expiresAt === 'number' && expiresAt * 1000 <= now;
}

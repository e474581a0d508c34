import { tableSchema } from '#shared/contract/table-schema.ts';
import { dependentExpiryAt, expiryAt, isExpired, type Retention } from '#shared/domain/retention.ts';
import type { Refused } from './conditional-write.ts';

/**
 * The expiry of rows that are written. An expired row counts as absent, so a write that expects no row replaces it.
 * Without a retention, as in the operator's commands, no row is known to expire, and written rows are kept.
 */
type MaybeRetention = Retention | undefined;

const { expiresAt } = tableSchema;

type ExpiryAttribute = { readonly [expiresAt]?: number };

/** The attribute of a row that is written now. */
export function expiryNow(retention: MaybeRetention): ExpiryAttribute {
  return attribute(retention === undefined ? null : expiryAt(retention, retention.now()));
}

/** The attribute of a row that is written now and reached through others. */
export function dependentExpiryNow(retention: MaybeRetention): ExpiryAttribute {
  return attribute(retention === undefined ? null : dependentExpiryAt(retention, retention.now()));
}

function attribute(seconds: number | null): ExpiryAttribute {
  return seconds === null ? {} : { [expiresAt]: seconds };
}

/**
 * What an update adds to its clauses, so that the row expires a retention after a time, or no longer expires.
 *
 * @param at epoch milliseconds; default: now
 */
export function expiryUpdate(retention: MaybeRetention, at?: number) {
  if (retention === undefined) return { set: '', removed: [], values: {} };
  const seconds = expiryAt(retention, at ?? retention.now());
  return seconds === null
    ? { set: '', removed: [expiresAt], values: {} }
    : { set: `, ${expiresAt} = :expires_at`, removed: [], values: { ':expires_at': seconds } };
}

/** A condition that an expired row meets too. */
export function orExpired(condition: string, retention: MaybeRetention) {
  if (retention === undefined) return { condition, values: {} };
  const expired = onlyExpired(retention);
  return { ...expired, condition: `${condition} OR ${expired.condition}` };
}

/** The condition that only an expired row meets. */
export function onlyExpired({ now }: Retention) {
  return {
    condition: `${expiresAt} <= :now_seconds`,
    values: { ':now_seconds': Math.floor(now() / 1000) },
  };
}

/** Whether a write was refused because of a row that has expired. */
export function metExpired({ item }: Refused, { now }: Retention): boolean {
  return isExpired(item?.[expiresAt], now());
}

import { tableSchema } from '#shared/contract/table-schema.ts';
import { dependentExpiryAt, expiryAt, isExpired, type Retention } from '#shared/domain/retention.ts';
import type { Refused, UpdateInput } from './conditional-write.ts';

/**
 * The expiry of rows that are written. An expired row counts as absent, so a write that expects no row replaces it.
 * Without a retention, as in the operator's commands, no row is known to expire, and written rows are kept.
 */
type MaybeRetention = Retention | undefined;

const { expiresAt } = tableSchema;

type ExpiryAttribute = { readonly [expiresAt]?: number };

/** Parts of an update expression: `set` continues its assignments, `removed` are attributes to remove. */
type ExpiryUpdate = {
  readonly set: string;
  readonly removed: readonly string[];
  readonly values: { readonly ':expires_at'?: number };
};

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
export function expiryUpdate(retention: MaybeRetention, at?: number): ExpiryUpdate {
  if (retention === undefined) return { set: '', removed: [], values: {} };
  const seconds = expiryAt(retention, at ?? retention.now());
  return seconds === null
    ? { set: '', removed: [expiresAt], values: {} }
    : { set: `, ${expiresAt} = :expires_at`, removed: [], values: { ':expires_at': seconds } };
}

/** The same for a row that keeps the expiry which it has. */
export function expiryUpdateIfNew(retention: MaybeRetention): ReturnType<typeof expiryUpdate> {
  const { values } = expiryUpdate(retention);
  const set = `, ${expiresAt} = if_not_exists(${expiresAt}, :expires_at)`;
  return { set: values[':expires_at'] === undefined ? '' : set, removed: [], values };
}

/** An update that an expired row refuses. */
export function refusingExpired(input: UpdateInput, { now }: Retention): UpdateInput {
  const isKept = `(attribute_not_exists(${expiresAt}) OR ${expiresAt} > :now_seconds)`;
  return {
    ...input,
    ConditionExpression: `${input.ConditionExpression} AND ${isKept}`,
    ExpressionAttributeValues: { ...input.ExpressionAttributeValues, ...nowSeconds(now) },
  };
}

/** The condition of a PartiQL statement that an expired row refuses. Where rows are kept, any row with a time does. */
export function keptStatement(retention: MaybeRetention) {
  const isMissing = `${expiresAt} IS MISSING`;
  if (retention === undefined || retention.days === null) return { condition: isMissing, values: [] };
  const values = Object.values(nowSeconds(retention.now));
  return { condition: `(${isMissing} OR ${expiresAt} > ?)`, values };
}

/** A condition that an expired row meets too. */
export function orExpired(condition: string, retention: MaybeRetention) {
  if (retention === undefined) return { condition, values: {} };
  const expired = onlyExpired(retention);
  return { ...expired, condition: `${condition} OR ${expired.condition}` };
}

/** The condition that only an expired row meets. */
export function onlyExpired({ now }: Retention) {
  return { condition: `${expiresAt} <= :now_seconds`, values: nowSeconds(now) };
}

const nowSeconds = (now: Retention['now']) => ({ ':now_seconds': Math.floor(now() / 1000) });

/** Whether a write was refused because of a row that has expired. */
export function metExpired({ item }: Refused, { now }: Retention): boolean {
  return isExpired(item?.[expiresAt], now());
}

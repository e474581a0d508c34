import type { Table } from '#shared/aws/clients.ts';
import type { Health } from '#shared/domain/endpoint-health.ts';
import type { FailureStreak } from '#shared/domain/failure-streak.ts';
import type { SettleNotices } from '#shared/operations/delivery/announce-changes.ts';
import type { StoreHealth } from '#shared/operations/delivery/watch-health.ts';
import { toFailureStreakItem, toOwedText } from './endpoint-item.ts';
import { changeLive } from './endpoints.ts';

/** The two times are absent when they are `null`. */
const times: readonly (readonly [attribute: string, of: (health: Health) => number | null])[] = [
  ['failing_since', ({ failingSince }) => failingSince],
  ['recovered_at', ({ recoveredAt }) => recoveredAt],
];

/** The health that an outcome was judged by is the stored one, so that two workers never undo what the other one found. */
export function storeHealth(table: Table): StoreHealth {
  return (endpoint, before, after, notice) => {
    const parts = times.map(([attribute, of]) => changeOf(attribute, of(before), of(after)));
    // The role of a stage without notices may not name the streak, and does not change it.
    if (after.failureStreak !== null && after.failureStreak !== before.failureStreak)
      parts.push(streakChange(before.failureStreak, after.failureStreak));
    const change = (['SET', 'REMOVE'] as const).flatMap((clause) => {
      const named = parts.flatMap((part) => part[clause] ?? []);
      return named.length === 0 ? [] : `${clause} ${named.join(', ')}`;
    });
    const condition = parts.map((part) => part.condition).join(' AND ');
    const values = Object.assign({}, ...parts.map((part) => part.values));
    return changeLive(table, endpoint, change.join(' '), condition, values, notice);
  };
}

/** The part of a write that one attribute has. */
type Part = {
  readonly condition: string;
  readonly SET?: string;
  readonly REMOVE?: string;
  readonly values: Readonly<Record<string, unknown>>;
};

function changeOf(attribute: string, before: number | null, after: number | null): Part {
  const [was, is] = [`:was_${attribute}`, `:${attribute}`];
  return {
    condition: before === null ? `attribute_not_exists(${attribute})` : `${attribute} = ${was}`,
    ...(after === null ? { REMOVE: attribute } : { SET: `${attribute} = ${is}` }),
    values: { ...(before !== null && { [was]: before }), ...(after !== null && { [is]: after }) },
  };
}

function streakChange(before: FailureStreak | null, after: FailureStreak): Part {
  const version = 'failure_streak.version';
  return {
    condition: before === null ? `attribute_not_exists(${version})` : `${version} = :version`,
    SET: 'failure_streak = :streak',
    values: { ':streak': toFailureStreakItem(after), ...(before !== null && { ':version': before.version }) },
  };
}

export function settleNotices(table: Table): SettleNotices {
  return async (endpoint, notices) => {
    const values = { ':sent': new Set(notices.map(toOwedText)) };
    await changeLive(table, endpoint, 'DELETE owed_notices :sent', 'attribute_exists(owed_notices)', values);
  };
}

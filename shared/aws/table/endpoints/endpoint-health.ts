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

type Values = Readonly<Record<string, unknown>>;

/** The health that an outcome was judged by is the stored one, so that two workers never undo what the other one found. */
export function storeHealth(table: Table): StoreHealth {
  return (endpoint, before, after, notice) => {
    const parts = [...times.map(([attribute, of]) => ofTime(attribute, of(before), of(after)))];
    // The role of a stage without notices may not name the streak, and does not change it.
    if (after.failureStreak !== null && after.failureStreak !== before.failureStreak)
      parts.push(ofStreak(before.failureStreak, after.failureStreak));
    const changes = parts.map(({ set }) => set).filter((set) => set !== null);
    const removed = parts.map(({ remove }) => remove).filter((remove) => remove !== null);
    const change = [
      ...(changes.length > 0 ? [`SET ${changes.join(', ')}`] : []),
      ...(removed.length > 0 ? [`REMOVE ${removed.join(', ')}`] : []),
    ].join(' ');
    const condition = parts.map((part) => part.condition).join(' AND ');
    const values = Object.assign({}, ...parts.map((part) => part.values));
    return changeLive(table, endpoint, change, condition, values, notice);
  };
}

/** The part of a write that one attribute has. */
type Part = {
  readonly condition: string;
  readonly set: string | null;
  readonly remove: string | null;
  readonly values: Values;
};

function ofTime(attribute: string, before: number | null, after: number | null): Part {
  return {
    condition: before === null ? `attribute_not_exists(${attribute})` : `${attribute} = :was_${attribute}`,
    set: after === null ? null : `${attribute} = :${attribute}`,
    remove: after === null ? attribute : null,
    values: {
      ...(before !== null && { [`:was_${attribute}`]: before }),
      ...(after !== null && { [`:${attribute}`]: after }),
    },
  };
}

function ofStreak(before: FailureStreak | null, after: FailureStreak): Part {
  return {
    condition:
      before === null ? 'attribute_not_exists(failure_streak.version)' : 'failure_streak.version = :version',
    set: 'failure_streak = :streak',
    remove: null,
    values: {
      ':streak': toFailureStreakItem(after),
      ...(before !== null && { ':version': before.version }),
    },
  };
}

export function settleNotices(table: Table): SettleNotices {
  return async (endpoint, notices) => {
    const values = { ':sent': new Set(notices.map(toOwedText)) };
    await changeLive(table, endpoint, 'DELETE owed_notices :sent', 'attribute_exists(owed_notices)', values);
  };
}

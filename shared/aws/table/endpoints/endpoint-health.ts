import type { Table } from '#shared/aws/clients.ts';
import type { Health } from '#shared/domain/endpoint-health.ts';
import type { FailureStreak } from '#shared/domain/failure-streak.ts';
import type { OwedNotice } from '#shared/domain/notice.ts';
import { toFailureStreakItem, toOwedText } from './endpoint-item.ts';
import { changeLive, type EndpointKey } from './endpoints.ts';

/** The two times are absent when they are `null`. */
const times: readonly (readonly [attribute: string, of: (health: Health) => number | null])[] = [
  ['failing_since', ({ failingSince }) => failingSince],
  ['recovered_at', ({ recoveredAt }) => recoveredAt],
];

/**
 * Stores the health of a live endpoint. The health that an outcome was judged by is the stored one, so that two workers
 * never undo what the other one found.
 *
 * @param before what the new health follows from
 * @param notice is stored with the change, if the operator is to be told
 * @returns `false` when the stored health is not `before`, or the endpoint was deleted; nothing is stored then
 */
export function storeHealth(
  table: Table,
  endpoint: EndpointKey,
  before: Health,
  after: Health,
  notice?: OwedNotice,
): Promise<boolean> {
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

/** Removes notices that were sent from a live endpoint. */
export async function settleNotices(
  table: Table,
  endpoint: EndpointKey,
  notices: readonly OwedNotice[],
): Promise<void> {
  const values = { ':sent': new Set(notices.map(toOwedText)) };
  await changeLive(table, endpoint, 'DELETE owed_notices :sent', 'attribute_exists(owed_notices)', values);
}

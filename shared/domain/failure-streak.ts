import type { OwedNotice } from './notice.ts';

/**
 * The deliveries of an endpoint that failed in a row. It decides when the operator is told, so only stages that send
 * notices keep it. Test events do not count. Times are epoch milliseconds.
 */
export type FailureStreak = {
  /** Increases with each change. */
  readonly version: number;
  /** When the first of them ended; `null` when the last delivery was delivered. */
  readonly since: number | null;
  /** The first of them, as many as are needed to tell. */
  readonly deliveryIds: readonly string[];
  /** When the delivery ended of which the operator was last told that the endpoint keeps failing. */
  readonly toldAt: number | null;
  /** Whether the operator was told about these failures, and is to be told about their end. */
  readonly isTold: boolean;
};

type Counted = {
  readonly recoveredAt: number | null;
  readonly failureStreak: FailureStreak | null;
};

/** The end of a delivery that was attempted. */
export type Ended = {
  readonly deliveryId: string;
  readonly status: 'delivered' | 'failed';
  readonly endedAt: number;
  /** A test event, which somebody may have asked for: no notice follows from it. */
  readonly isTest: boolean;
};

const minute = 60_000;

/** Failures for so long are told whatever their number. */
const tellAfterMs = 30 * minute;

/** The operator is told at most once in this span that an endpoint keeps failing. */
const quietMs = 60 * minute;

const noStreak: FailureStreak = {
  version: 0,
  since: null,
  deliveryIds: [],
  toldAt: null,
  isTold: false,
};

/**
 * The streak after a delivery ended: the same object when nothing changes.
 *
 * @param tellAfter number of failures in a row of which the operator is told
 */
export function streakAfter(health: Counted, ended: Omit<Ended, 'isTest'>, tellAfter: number): FailureStreak | null {
  const { failureStreak: streak, recoveredAt } = health;
  if (ended.status === 'delivered') return streak === null ? null : afterDelivered(streak, ended);
  if (recoveredAt !== null && recoveredAt >= ended.endedAt) return streak;
  return afterFailed(streak ?? noStreak, ended, tellAfter);
}

/** A delivered one that ended before the failure of which the operator was told ends nothing. */
function afterDelivered(streak: FailureStreak, { endedAt }: Pick<Ended, 'endedAt'>): FailureStreak {
  const { version, since, toldAt, isTold } = streak;
  if (since === null || since > endedAt || (isTold && toldAt !== null && toldAt > endedAt)) return streak;
  return { ...noStreak, version: version + 1, toldAt };
}

function afterFailed(
  streak: FailureStreak,
  { deliveryId, endedAt }: Omit<Ended, 'isTest'>,
  tellAfter: number,
): FailureStreak {
  const { version, toldAt } = streak;
  const since = Math.min(streak.since ?? endedAt, endedAt);
  const isNew = streak.deliveryIds.length < tellAfter && !streak.deliveryIds.includes(deliveryId);
  const deliveryIds = isNew ? [...streak.deliveryIds, deliveryId] : streak.deliveryIds;
  const isEnough = deliveryIds.length >= tellAfter || endedAt - since >= tellAfterMs;
  const isQuiet = toldAt !== null && endedAt - toldAt < quietMs;
  const tells = !streak.isTold && isEnough && !isQuiet;
  if (!isNew && !tells && since === streak.since) return streak;
  return {
    version: version + 1,
    since,
    deliveryIds,
    toldAt: tells ? endedAt : toldAt,
    isTold: streak.isTold || tells,
  };
}

/** What the operator is told about a change. @returns nothing when it is no news */
export function newsIn(
  before: FailureStreak | null,
  after: FailureStreak | null,
): Pick<OwedNotice, 'type' | 'failingSince'> | null {
  if (after?.isTold === true && before?.isTold !== true && after.since !== null)
    return { type: 'endpoint.failing', failingSince: after.since };
  if (before?.isTold === true && after?.isTold !== true && before.since !== null)
    return { type: 'endpoint.recovered', failingSince: before.since };
  return null;
}

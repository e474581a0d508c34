import type { Endpoint } from './endpoint.ts';
import { type Ended, streakAfter } from './failure-streak.ts';

/**
 * Whether the events of an endpoint arrive, by the deliveries that have ended. Only a change is stored, so an ordinary
 * delivery writes nothing for it. The order of two outcomes is that of the times at which their deliveries ended, however
 * late one of them is noted.
 */
export type Health = Pick<Endpoint, 'failingSince' | 'recoveredAt' | 'failureStreak'>;

/**
 * The health of an endpoint after a delivery ended: the same object when nothing changes.
 *
 * @param tellAfter number of failures in a row of which the operator is told; `null` in a stage without notices
 */
export function healthAfter(health: Health, ended: Ended, tellAfter: number | null): Health {
  const marked = markedAfter(health, ended);
  if (tellAfter === null || ended.isTest) return marked;
  const failureStreak = streakAfter(health, ended, tellAfter);
  if (failureStreak === health.failureStreak) return marked;
  if (ended.status === 'failed') return { ...marked, failureStreak };
  // A failure that ended before is no longer counted, however late it is noted.
  return { ...marked, failureStreak, recoveredAt: Math.max(marked.recoveredAt ?? 0, ended.endedAt) };
}

function markedAfter(health: Health, { status, endedAt }: Ended): Health {
  const { failingSince, recoveredAt } = health;
  if (status === 'delivered') {
    const isNews = failingSince !== null && failingSince <= endedAt;
    return isNews ? { ...health, failingSince: null, recoveredAt: endedAt } : health;
  }
  if (recoveredAt !== null && recoveredAt >= endedAt) return health;
  return failingSince === null || failingSince > endedAt ? { ...health, failingSince: endedAt } : health;
}

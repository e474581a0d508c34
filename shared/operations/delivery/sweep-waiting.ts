import { deferDue, listOverdue, type Overdue } from '#shared/aws/table/deliveries/waiting.ts';
import { type DueAttempt, nextAttempt } from '#shared/domain/delivery.ts';
import { inGroups } from '#shared/domain/in-groups.ts';
import { sweepGrace } from '#shared/domain/progress.ts';
import type { Needs } from '#shared/operations/needs.ts';
import type { EnqueueAttempts } from '#shared/operations/ports.ts';

type Deps = Pick<Needs, 'table' | 'now' | 'report'> & {
  readonly shards: number;
  readonly enqueueAttempts: EnqueueAttempts<'ordinary'>;
};

/** A swept delivery is due again after this time, in case the new message is lost too. Milliseconds. */
const sweepAgainAfter = 15 * 60_000;
const pageSize = 100;

/** The position of a sweep in a shard. */
type Place = { readonly shard: number; readonly after: string | null };

/**
 * Queues deliveries whose timer was lost, refused or late. A duplicate message is harmless: the attempt is claimed
 * once.
 *
 * Shards take turns, a page each, so that a long one delays no other. Each is read once, from its oldest row: the index
 * lags, and a second read from the start would return the rows that were just deferred.
 *
 * @param mayContinue called before each page
 * @returns the number of queued deliveries
 * @throws the first failure, after the other shards: a shard could not be read, or no row of a page could be deferred
 */
export function sweepWaiting(deps: Deps) {
  return async (mayContinue: () => boolean): Promise<number> => {
    const before = deps.now() - sweepGrace;
    const places: Place[] = Array.from({ length: deps.shards }, (_, shard) => ({ shard, after: null }));
    const failures: unknown[] = [];
    let requeued = 0;
    let oldestDue = before;
    while (mayContinue()) {
      const place = places.shift();
      if (place === undefined) break;
      try {
        const { overdue, next } = await listOverdue(deps.table, place.shard, before, pageSize, place.after);
        if (next !== null) places.push({ shard: place.shard, after: next });
        oldestDue = Math.min(oldestDue, ...overdue.map(({ dueAt }) => dueAt));
        requeued += await requeue(deps, overdue);
      } catch (error) {
        failures.push(error);
      }
    }
    if (requeued > 0) deps.report({ name: 'sweep.done', requeued, oldestOverdue: deps.now() - oldestDue });
    if (failures.length > 0) throw failures[0];
    return requeued;
  };
}

/** @returns how many were queued @throws the first failure when none could be deferred */
async function requeue(deps: Deps, found: readonly Overdue[]): Promise<number> {
  const failures: unknown[] = [];
  const deferred = await inGroups(found, (overdue) =>
    defer(deps, overdue).catch((cause: unknown) => {
      deps.report({ name: 'step.failed', step: 'sweep', delivery: overdue, cause });
      failures.push(cause);
      return null;
    }),
  );
  const due = deferred.flatMap((attempt) => attempt ?? []);
  if (due.length === 0) {
    if (failures.length > 0) throw failures[0];
    return 0;
  }
  const refused = await deps.enqueueAttempts(due, 'ordinary');
  for (const { key } of refused) {
    deps.report({ name: 'step.failed', step: 'enqueue', delivery: key, cause: 'refused by the queue' });
  }
  return due.length - refused.length;
}

async function defer(deps: Deps, overdue: Overdue): Promise<DueAttempt | null> {
  const delivery = await deferDue(deps.table, overdue, deps.now() + sweepAgainAfter);
  return delivery === null ? null : nextAttempt(delivery);
}

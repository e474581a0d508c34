import { chunks } from '#shared/domain/chunks.ts';
import { type Delivery, type DeliveryKey, type DueAttempt, nextAttempt } from '#shared/domain/delivery.ts';
import type { Clock, EnqueueAttempts, Report } from '#shared/operations/ports.ts';

/** A delivery whose next step was due at `dueAt`. */
export type Overdue = DeliveryKey & { readonly dueAt: number };

/**
 * Deliveries of one shard of the index that were due before a time, oldest first: at most `limit` of them, fewer when
 * some cannot be read. `next` is the position of the next page, `null` after the last.
 */
export type ListOverdue = (
  shard: number,
  before: number,
  limit: number,
  after: string | null,
) => Promise<{ readonly overdue: readonly Overdue[]; readonly next: string | null }>;

/** Defers the due time, unless the delivery ended or its due time changed. @returns the delivery, or `null` */
export type DeferDue = (overdue: Overdue, until: number) => Promise<Delivery | null>;

type Deps = {
  readonly now: Clock;
  readonly listOverdue: ListOverdue;
  readonly shards: number;
  readonly deferDue: DeferDue;
  readonly enqueueAttempts: EnqueueAttempts;
  readonly report: Report;
};

/**
 * A timer fires within the minute after its time, and its message takes a moment. A delivery that is due for longer
 * than this is overdue. Milliseconds.
 */
export const sweepGrace = 3 * 60_000;
/** A swept delivery is due again after this time, in case the new message is lost too. Milliseconds. */
const sweepAgainAfter = 15 * 60_000;
const pageSize = 100;
/** Number of concurrent writes: more would only wait for each other in a function of this size. */
const concurrentWrites = 25;

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
    let woken = 0;
    let oldestDue = before;
    while (mayContinue()) {
      const place = places.shift();
      if (place === undefined) break;
      try {
        const { overdue, next } = await deps.listOverdue(place.shard, before, pageSize, place.after);
        if (next !== null) places.push({ shard: place.shard, after: next });
        oldestDue = Math.min(oldestDue, ...overdue.map(({ dueAt }) => dueAt));
        woken += await wake(deps, overdue);
      } catch (error) {
        failures.push(error);
      }
    }
    if (woken > 0) deps.report({ name: 'sweep.done', woken, oldestOverdue: deps.now() - oldestDue });
    if (failures.length > 0) throw failures[0];
    return woken;
  };
}

async function wake(deps: Deps, found: readonly Overdue[]): Promise<number> {
  const postponed: PromiseSettledResult<DueAttempt | null>[] = [];
  for (const some of chunks(found, concurrentWrites)) {
    postponed.push(...(await Promise.allSettled(some.map((overdue) => postpone(deps, overdue)))));
  }
  const due = postponed.flatMap((result) =>
    result.status === 'fulfilled' && result.value !== null ? [result.value] : [],
  );
  const refused = due.length === 0 ? [] : await deps.enqueueAttempts(due);
  for (const { key } of refused) {
    deps.report({ name: 'step.failed', step: 'enqueue', delivery: key, cause: 'refused by the queue' });
  }
  const failure = postponed.find((result) => result.status === 'rejected');
  if (failure !== undefined && due.length === 0) throw failure.reason;
  return due.length - refused.length;
}

async function postpone(deps: Deps, overdue: Overdue): Promise<DueAttempt | null> {
  try {
    const delivery = await deps.deferDue(overdue, deps.now() + sweepAgainAfter);
    return delivery === null ? null : nextAttempt(delivery);
  } catch (cause) {
    deps.report({ name: 'step.failed', step: 'sweep', delivery: overdue, cause });
    throw cause;
  }
}

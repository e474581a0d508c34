import { chunks } from '#shared/domain/chunks.ts';
import { type Delivery, type DeliveryKey, type DueAttempt, nextAttempt } from '#shared/domain/delivery.ts';
import type { Clock, EnqueueAttempts, Report } from '#shared/operations/ports.ts';

/** A delivery that something should have woken by `dueAt`. */
export type Overdue = DeliveryKey & { readonly dueAt: number };

/**
 * Deliveries of one shard of the index whose wake-up was due before a time, oldest first: at most `limit` of them,
 * fewer when some cannot be read. `next` says where the page after this one begins, `null` that nothing follows.
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

/** A timer fires within the minute after its time, and its message takes a moment: only then is it overdue. */
export const sweepGrace = 3 * 60_000;
/** After a sweep woke a delivery, it is looked at again this much later, should that message get lost as well. */
const sweepAgainAfter = 15 * 60_000;
const pageSize = 100;
/** Wake-ups that are moved on side by side: more only wait for each other in a function of this size. */
const sideBySide = 25;

/** How far a sweep has come in a shard. */
type Place = { readonly shard: number; readonly after: string | null };

/**
 * Puts deliveries whose timer was lost, refused or late back on the queue. Waking one twice is harmless: its
 * attempt is claimed once.
 *
 * Shards take turns, a page each, so that a long one holds up no other. Each is walked from its oldest row on and
 * never looked at again from the top: the index is late, and would show the rows that were just moved.
 *
 * @param mayContinue asked before each page
 * @returns how many were woken
 * @throws the first failure, when a shard could not be read or nothing of a page could be moved; after the other shards
 */
export function sweepWaiting(deps: Deps) {
  return async (mayContinue: () => boolean): Promise<number> => {
    const before = deps.now() - sweepGrace;
    const places: Place[] = Array.from({ length: deps.shards }, (_, shard) => ({ shard, after: null }));
    const failures: unknown[] = [];
    let woken = 0;
    while (mayContinue()) {
      const place = places.shift();
      if (place === undefined) break;
      try {
        const { overdue, next } = await deps.listOverdue(place.shard, before, pageSize, place.after);
        if (next !== null) places.push({ shard: place.shard, after: next });
        woken += await wake(deps, overdue);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return woken;
  };
}

async function wake(deps: Deps, found: readonly Overdue[]): Promise<number> {
  const postponed: PromiseSettledResult<DueAttempt | null>[] = [];
  for (const some of chunks(found, sideBySide)) {
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

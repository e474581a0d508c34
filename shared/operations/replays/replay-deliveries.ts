import { type BulkReplay, bulkReplayedId, isReplayBy } from '#shared/domain/bulk-replay.ts';
import { chunks } from '#shared/domain/chunks.ts';
import { type Delivery, type DueAttempt, replayOf } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { Clock, ReadDelivery, StoreReplay, TimeLeft } from '#shared/operations/ports.ts';

type Deps = {
  readonly now: Clock;
  readonly storeReplay: StoreReplay;
  readonly readDelivery: ReadDelivery;
};

/** The result for some deliveries of a bulk replay. */
export type Replayed = {
  /** The first attempt of each replay, in the order of the originals. */
  readonly replays: readonly DueAttempt[];
  /** Deliveries that have a replay of somebody else. */
  readonly skipped: number;
  /** Id of the last delivery that was dealt with when the time ran out; `null` when all were. */
  readonly stoppedAt: string | null;
};

/** Number of concurrent transactions: more would only wait for each other in a function of this size. */
const concurrentWrites = 25;

/** Milliseconds that the queues and the record of the step need after the last replay is stored. */
const timeToFinish = 10_000;

/** Stores a replay of each delivery that has none. Those of an earlier try of the same job count as its own. */
export function replayDeliveries(deps: Deps) {
  return async (
    job: BulkReplay,
    endpoint: Endpoint,
    originals: readonly Delivery[],
    timeLeft: TimeLeft,
  ): Promise<Replayed> => {
    const replays: DueAttempt[] = [];
    let skipped = 0;
    for (const [index, some] of chunks(originals, concurrentWrites).entries()) {
      if (index > 0 && timeLeft() < timeToFinish) {
        return { replays, skipped, stoppedAt: originals[index * concurrentWrites - 1]?.id ?? null };
      }
      const outcomes = await Promise.all(some.map((original) => replayOne(deps, job, endpoint, original)));
      const own = outcomes.flatMap((id) => id ?? []);
      skipped += outcomes.length - own.length;
      replays.push(...own.map((id) => firstAttempt(job, id)));
    }
    return { replays, skipped, stoppedAt: null };
  };
}

/** @returns the id of the job's replay, stored now or earlier; `null` when the delivery has another one */
async function replayOne(
  deps: Deps,
  job: BulkReplay,
  endpoint: Endpoint,
  original: Delivery,
): Promise<string | null> {
  if (original.replayedBy !== null) return ownReplay(job, original);
  const now = deps.now();
  // Never within the selected time, also when this clock is behind the one that began the job.
  const createdAt = Math.max(now, job.selection.createdBefore);
  const id = bulkReplayedId(job.id, original.id, createdAt, endpoint.deliveryPartitions);
  const replay = replayOf(original, id);
  // Due for the sweep at once: without its message, the replay waits for the next sweep.
  if (await deps.storeReplay(replay, now, job.selection.status)) return replay.id;
  const current = await deps.readDelivery(original);
  return current === null ? null : ownReplay(job, current);
}

function ownReplay(job: BulkReplay, { id, replayedBy }: Delivery): string | null {
  return replayedBy !== null && isReplayBy(job.id, id, replayedBy) ? replayedBy : null;
}

function firstAttempt({ customerId, webhookId }: BulkReplay, id: string): DueAttempt {
  return { key: { customerId, webhookId, id }, attempt: 1 };
}

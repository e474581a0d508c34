import { readDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { openTallies } from '#shared/aws/table/replays/replay-tallies.ts';
import { storeReplay } from '#shared/aws/table/replays/store-replay.ts';
import { type BulkReplay, bulkReplayedId, isReplayBy } from '#shared/domain/bulk-replay.ts';
import { type Delivery, type DueAttempt, replayOf } from '#shared/domain/delivery.ts';
import { inGroups } from '#shared/domain/in-groups.ts';
import { talliesOf, tallyOf } from '#shared/domain/replay-outcomes.ts';
import type { Needs } from '#shared/operations/needs.ts';
import type { Step } from './read-share.ts';

type Deps = Pick<Needs, 'table' | 'now'>;

/** The result for some deliveries of a bulk replay. */
type Replayed = {
  /** The first attempt of each replay, in the order of the originals. */
  readonly replays: readonly DueAttempt[];
  /** Deliveries that another caller has replayed meanwhile. */
  readonly skipped: number;
  /** Id of the last delivery that was dealt with when the time ran out; `null` when all were. */
  readonly stoppedAt: string | null;
};

/** Milliseconds that the queues and the record of the step need after the last replay is stored. */
const timeToFinish = 10_000;

/** Stores a replay of each delivery. Those of an earlier try of the same job count as its own. */
export async function replayDeliveries(deps: Deps, step: Step, originals: readonly Delivery[]): Promise<Replayed> {
  const { table, now } = deps;
  if (originals.length > 0) await openTallies(table, step.job, talliesOf(step.job, originals.length), now());
  const outcomes = await inGroups(
    originals.map((original, index) => ({ original, tally: tallyOf(step.job, index) })),
    ({ original, tally }) => replayOne(deps, step, original, tally),
    () => step.timeLeft() >= timeToFinish,
  );
  const own = outcomes.flatMap((id) => id ?? []);
  const isStopped = outcomes.length < originals.length;
  return {
    replays: own.map((id) => firstAttempt(step.job, id)),
    skipped: outcomes.length - own.length,
    stoppedAt: isStopped ? (originals[outcomes.length - 1]?.id ?? null) : null,
  };
}

/** How often a replay is stored while others replay its original. */
const storeTries = 5;

/** @returns the id of the job's replay, stored now or earlier; `null` when somebody else replayed the delivery meanwhile */
async function replayOne(
  deps: Deps,
  { job, endpoint, source }: Step,
  original: Delivery,
  tally: string,
): Promise<string | null> {
  let current: Delivery | null = original;
  for (let tries = 1; current !== null && tries <= storeTries; tries += 1) {
    const earlier = ownReplay(job, current);
    if (earlier !== null) return earlier;
    // To replay the original to its own endpoint is what this job would do. Another endpoint gains nothing by it.
    if (tries > 1 && source.id === endpoint.id && (await isReplayedHere(deps, current))) return null;
    const now = deps.now();
    // Never within the selected time, also when this clock is behind the one that began the job.
    const createdAt = Math.max(now, job.selection.createdBefore);
    const id = bulkReplayedId(job.id, original.id, createdAt, endpoint.deliveryPartitions);
    const replay = replayOf(original, id, { webhookId: endpoint.id, tally });
    // Due for the sweep at once: without its message, the replay waits for the next sweep.
    if (await storeReplay(deps.table, replay, now, current)) return replay.id;
    current = await readDelivery(deps.table, original);
  }
  return null;
}

/** Whether the newest replay of a delivery went to its own endpoint, and not to another one. */
async function isReplayedHere({ table }: Deps, original: Delivery): Promise<boolean> {
  const { replayedBy: id } = original;
  return id !== null && (await readDelivery(table, { ...original, id })) !== null;
}

function ownReplay(job: BulkReplay, { id, replayedBy }: Delivery): string | null {
  return replayedBy !== null && isReplayBy(job.id, id, replayedBy) ? replayedBy : null;
}

function firstAttempt({ customerId, webhookId }: BulkReplay, id: string): DueAttempt {
  return { key: { customerId, webhookId, id }, attempt: 1 };
}

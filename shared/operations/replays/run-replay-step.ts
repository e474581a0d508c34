import {
  advanceReplay,
  claimReplayStep,
  endBulkReplay,
  type ReplayEnd,
} from '#shared/aws/table/replays/bulk-replays.ts';
import type { BulkReplay, ReplayProgress, ReplayStep } from '#shared/domain/bulk-replay.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import { laneOf } from '#shared/domain/lane.ts';
import type { Needs } from '#shared/operations/needs.ts';
import type { MessageResult, TimeLeft } from '#shared/operations/ports.ts';
import { readShare, type Step } from './read-share.ts';
import { replayDeliveries } from './replay-deliveries.ts';
import { endpointsOf } from './selection.ts';
import { unclaimedStep } from './unclaimed-step.ts';

type Deps = Pick<Needs, 'table' | 'now' | 'enqueueAttempts' | 'sendReplayStep' | 'report'>;

/**
 * Lease of a step, in milliseconds: longer than the function runs, and shorter than the visibility timeout of its
 * messages.
 */
const stepLease = 60_000;

/**
 * Seconds between two steps, also after a step that replayed nothing: a message that comes before the step is recorded
 * is sent once more.
 */
const minDelay = 2;

/**
 * Runs one step of a bulk replay (docs/decisions/0012-bulk-replay-in-steps.md): stores the next replays, oldest first, and
 * queues them evenly over the time of the step.
 *
 * The message of the next step is sent before this step is recorded, so a job that runs always has a message. A message
 * of a recorded step does nothing, and one of a later step is sent again. A worker that repeats a step stores no second
 * replay of an event, because the original names the first, and queues the first again; an attempt is claimed once.
 */
export function runReplayStep(deps: Deps) {
  return async (message: ReplayStep, timeLeft: TimeLeft): Promise<MessageResult> => {
    const now = deps.now();
    const claim = await claimReplayStep(deps.table, message, { now, leaseUntil: now + stepLease });
    if (!claim.claimed) return await unclaimedStep(deps, message, claim, { now, timeLeft });
    const { job } = claim;
    const endpoints = await endpointsOf(deps.table, job);
    if (endpoints?.endpoint.status === 'active') {
      await replayShare(deps, { job, ...endpoints, timeLeft });
    } else {
      await end(deps, job, { status: 'cancelled', reason: 'webhook_not_active', at: deps.now() });
    }
    return 'done';
  };
}

async function replayShare(deps: Deps, step: Step): Promise<void> {
  const { job } = step;
  const share = await readShare(deps.table, step);
  const done = await replayDeliveries(deps, step, share.deliveries);
  await enqueueReplays(deps, step, done.replays);

  const { stoppedAt } = done;
  const next = stoppedAt ?? share.next;
  const passed = share.replayedEarlier.filter((id) => stoppedAt === null || id < stoppedAt);
  const counts = { replayed: done.replays.length, skipped: done.skipped + passed.length };
  const after = {
    ...job,
    step: job.step + 1,
    cursor: next ?? share.deliveries.at(-1)?.id ?? job.cursor,
    replayed: job.replayed + counts.replayed,
    skipped: job.skipped + counts.skipped,
  };
  if (next !== null) {
    const delay = Math.max(minDelay, share.seconds, Math.ceil(counts.replayed / job.rate));
    await deps.sendReplayStep({ key: job, step: after.step }, delay);
  }
  deps.report({ name: 'replay.stepped', job: after, ...counts });
  if (next === null) return await complete(deps, job, after);
  await advanceReplay(deps.table, { key: job, step: job.step }, after);
}

/** Ends the job. One that was cancelled meanwhile shows what its last step replayed, too. */
async function complete(deps: Deps, job: BulkReplay, progress: ReplayProgress): Promise<void> {
  const { ended, job: stored } = await end(deps, job, { status: 'completed', progress, at: deps.now() });
  if (ended) return;
  await advanceReplay(deps.table, { key: job, step: job.step }, progress);
  const { replayed, skipped } = progress;
  // No message follows that could report it.
  if (stored !== null) deps.report({ name: 'replay.ended', job: { ...stored, replayed, skipped } });
}

/** The queue holds them back, so that every second has `rate` of them. The sweep queues those that it refuses. */
async function enqueueReplays(deps: Deps, { job, endpoint }: Step, replays: readonly DueAttempt[]): Promise<void> {
  if (replays.length === 0) return;
  const spread = replays.map((due, index) => ({ ...due, delaySeconds: Math.floor(index / job.rate) }));
  for (const { key } of await deps.enqueueAttempts(spread, laneOf(endpoint))) {
    deps.report({ name: 'step.failed', step: 'enqueue', delivery: key, cause: 'refused by the queue' });
  }
}

/** Ends the job, and reports the end unless it had been cancelled. */
async function end(deps: Deps, job: BulkReplay, how: ReplayEnd): ReturnType<typeof endBulkReplay> {
  const result = await endBulkReplay(deps.table, job, how);
  if (result.ended && result.job !== null) deps.report({ name: 'replay.ended', job: result.job });
  return result;
}

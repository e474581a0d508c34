import { advanceReplay, type StepClaim } from '#shared/aws/table/replays/bulk-replays.ts';
import { type BulkReplay, isReplayBy, type ReplayStep } from '#shared/domain/bulk-replay.ts';
import { idTime } from '#shared/domain/ids.ts';
import type { Needs } from '#shared/operations/needs.ts';
import type { MessageResult, TimeLeft } from '#shared/operations/ports.ts';
import { readShare } from './read-share.ts';
import { endpointsOf } from './selection.ts';

type Deps = Pick<Needs, 'table' | 'sendReplayStep' | 'report'>;

/**
 * A message can arrive before its job is stored, which takes no longer than a request. Milliseconds, with an allowance
 * for the clocks of two functions: a job whose only message was given up would run for ever.
 */
const jobIsStored = 15 * 60_000;

/** Milliseconds after which a job without a row was probably never stored. */
const jobIsDoubtful = 60_000;

/** Seconds until a message that came early is read again, and until one whose job is doubtful is. */
const earlyDelay = 5;
const doubtfulDelay = 60;

/**
 * Deals with the message of a step that was not claimed.
 *
 * A message that came too early, because its job or the step before is not recorded yet, is sent once more: that uses up
 * none of its receives. The first message after a cancellation reports the end, so that one line has the counts of all
 * steps.
 */
export async function unclaimedStep(
  deps: Deps,
  message: ReplayStep,
  { job, heldUntil }: StepClaim & { readonly claimed: false },
  { now, timeLeft }: { readonly now: number; readonly timeLeft: TimeLeft },
): Promise<MessageResult> {
  if (isEarly(message, job, heldUntil, now)) {
    const isDoubtful = job === null && ageOf(message, now) > jobIsDoubtful;
    await deps.sendReplayStep(message, isDoubtful ? doubtfulDelay : earlyDelay);
    return 'done';
  }
  if (job === null) return 'done';
  if (job.status === 'cancelled' && job.step === message.step) {
    // Its worker records the step.
    if (heldUntil !== null && heldUntil > now) return 'retry';
    const counted = heldUntil === null ? job : await countInterrupted(deps, job, timeLeft);
    deps.report({ name: 'replay.ended', job: counted });
  }
  return job.status === 'running' && job.step <= message.step ? 'retry' : 'done';
}

/** Counts what a step did that was interrupted before its bulk replay was cancelled. @returns the job as recorded */
async function countInterrupted(deps: Deps, job: BulkReplay, timeLeft: TimeLeft): Promise<BulkReplay> {
  const endpoints = await endpointsOf(deps.table, job);
  if (endpoints === null) return job;
  const share = await readShare(deps.table, { job, ...endpoints, timeLeft });
  const own = share.deliveries.filter(
    ({ id, replayedBy }) => replayedBy !== null && isReplayBy(job.id, id, replayedBy),
  );
  const cursor = own.at(-1)?.id;
  if (cursor === undefined) return job;
  const progress = {
    replayed: job.replayed + own.length,
    skipped: job.skipped + share.replayedEarlier.filter((id) => id < cursor).length,
    cursor,
  };
  await advanceReplay(deps.table, { key: job, step: job.step }, progress);
  return { ...job, ...progress };
}

/** The claim of the step before limits how long its message is sent again: without one, it waits for a repetition. */
function isEarly({ key, step }: ReplayStep, job: BulkReplay | null, heldUntil: number | null, now: number): boolean {
  if (job === null) return ageOf({ key }, now) < jobIsStored;
  return job.status === 'running' && job.step < step && heldUntil !== null && heldUntil > now;
}

/** Milliseconds since the job was made, by the clocks of two functions. */
function ageOf({ key }: Pick<ReplayStep, 'key'>, now: number): number {
  return now - idTime(key.id);
}

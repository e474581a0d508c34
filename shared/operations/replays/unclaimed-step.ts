import type { BulkReplay, ReplayStep } from '#shared/domain/bulk-replay.ts';
import { idTime } from '#shared/domain/ids.ts';
import type { MessageResult, Report } from '#shared/operations/ports.ts';
import type { SendReplayStep, StepClaim } from './ports.ts';

type Deps = { readonly sendReplayStep: SendReplayStep; readonly report: Report };

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
 * A message that came too early, because its job or the step before is not recorded yet, is sent once more: it would
 * come back only after the visibility timeout. The first message after a cancellation reports the end, so that one line
 * has the counts of all steps.
 */
export function unclaimedStep(deps: Deps) {
  return async (
    message: ReplayStep,
    { job, heldUntil }: StepClaim & { readonly claimed: false },
    now: number,
  ): Promise<MessageResult> => {
    if (isEarly(message, job, heldUntil, now)) {
      const isDoubtful = job === null && ageOf(message, now) > jobIsDoubtful;
      await deps.sendReplayStep(message, isDoubtful ? doubtfulDelay : earlyDelay);
      return 'done';
    }
    if (job === null) return 'done';
    if (job.status === 'cancelled' && job.step === message.step) deps.report({ name: 'replay.ended', job });
    return job.status === 'running' && job.step <= message.step ? 'retry' : 'done';
  };
}

/** The claim of the step before limits how long its message is sent again: without one, it waits for a repetition. */
function isEarly(
  { key, step }: ReplayStep,
  job: BulkReplay | null,
  heldUntil: number | null,
  now: number,
): boolean {
  if (job === null) return ageOf({ key }, now) < jobIsStored;
  return job.status === 'running' && job.step < step && heldUntil !== null && heldUntil > now;
}

/** Milliseconds since the job was made, by the clocks of two functions. */
function ageOf({ key }: Pick<ReplayStep, 'key'>, now: number): number {
  return now - idTime(key.id);
}

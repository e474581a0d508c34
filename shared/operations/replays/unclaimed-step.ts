import type { BulkReplay, ReplayStep } from '#shared/domain/bulk-replay.ts';
import { idTime } from '#shared/domain/ids.ts';
import type { MessageResult, Report } from '#shared/operations/ports.ts';
import type { SendReplayStep, StepClaim } from './ports.ts';

type Deps = { readonly sendReplayStep: SendReplayStep; readonly report: Report };

/** A message can arrive before its job is stored, which takes no longer than a request. Milliseconds. */
const jobIsStored = 60_000;

/** Seconds until a message that came early is read again. */
const earlyDelay = 5;

/**
 * Deals with the message of a step that was not claimed.
 *
 * A message that came too early, because its job or the step before is not recorded yet, is sent once more: that uses up
 * none of its receives. The first message after a cancellation reports the end, so that one line
 * has the counts of all steps.
 */
export function unclaimedStep(deps: Deps) {
  return async (
    message: ReplayStep,
    { job, heldUntil }: StepClaim & { readonly claimed: false },
    now: number,
  ): Promise<MessageResult> => {
    if (isEarly(message, job, heldUntil, now)) {
      await deps.sendReplayStep(message, earlyDelay);
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
  if (job === null) return now - idTime(key.id) < jobIsStored;
  return job.status === 'running' && job.step < step && heldUntil !== null && heldUntil > now;
}

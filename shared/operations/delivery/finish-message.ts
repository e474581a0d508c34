import { noTimings } from '#shared/domain/attempt.ts';
import {
  claimedAt,
  classifyMessage,
  type Delivery,
  type DueAttempt,
  nextAttempt,
  recorded,
  transitionAfter,
} from '#shared/domain/delivery.ts';
import type { Lane } from '#shared/domain/lane.ts';
import type { Needs } from '#shared/operations/needs.ts';
import type { MessageResult } from '#shared/operations/ports.ts';
import type { Sending } from './send-attempt.ts';

export type FinishDeps = Pick<Needs, 'now' | 'scheduleAttempt' | 'report'> & {
  /** Milliseconds by which a message may arrive before its time; above 0 only on the local stack. */
  readonly dueToleranceMs: number;
};

/** `lane` carries the next attempt; `record` records an attempt that was interrupted. */
export type Finishing = Pick<Sending, 'record'> & { readonly lane: Lane };

/** Finishes a message whose attempt could not be claimed, given the delivery as it is stored. */
export async function finishMessage(
  deps: FinishDeps,
  due: DueAttempt,
  delivery: Delivery | null,
  { lane, record }: Finishing,
): Promise<MessageResult> {
  // A delivery is stored before it is queued. A message whose delivery never appears ends in the dead-letter queue.
  if (delivery === null) return 'retry';
  switch (classifyMessage(delivery, due.attempt, deps.now(), deps.dueToleranceMs)) {
    case 'obsolete':
      return 'done';
    case 'waiting':
      await scheduleNext(deps, delivery, lane);
      return 'done';
    case 'interrupted':
      await recordInterruption(deps, delivery, { lane, record });
      return 'done';
    default:
      return 'retry';
  }
}

/**
 * Schedules the next attempt, if there is one. The due time is already stored, so a failure to create the schedule
 * delays the attempt until the next sweep and loses nothing.
 */
export async function scheduleNext(deps: FinishDeps, delivery: Delivery, lane: Lane): Promise<void> {
  if (delivery.status !== 'pending' || delivery.retryAt === null) return;
  try {
    await deps.scheduleAttempt(nextAttempt(delivery), delivery.retryAt, lane);
  } catch (cause) {
    deps.report({ name: 'step.failed', step: 'schedule', delivery, cause });
  }
}

/** The worker of the attempt died. Its POST may have been sent, so the attempt counts, as failed. */
async function recordInterruption(deps: FinishDeps, delivery: Delivery, { lane, record }: Finishing): Promise<void> {
  if (delivery.claim === null) return;
  const now = deps.now();
  const at = claimedAt(delivery.claim);
  const entry = {
    at,
    outcome: 'interrupted',
    responseStatus: null,
    error: 'The attempt was interrupted before its outcome was known',
    isRepeated: false,
    durationMs: Math.max(0, now - at),
    timings: noTimings,
  } as const;
  const transition = transitionAfter(delivery, 'interrupted', now);
  const isRecorded = await record({
    key: delivery,
    attempt: delivery.attempts,
    fencingToken: delivery.claim.fencingToken,
    entry,
    transition,
  });
  if (!isRecorded) return;
  deps.report({ name: 'delivery.interrupted', delivery, attempt: delivery.attempts, transition });
  await scheduleNext(deps, recorded(delivery, entry, transition), lane);
}

import { readEventBody } from '#shared/contract/event-body.ts';
import { noTimings } from '#shared/domain/attempt.ts';
import {
  claimedAt,
  type Delivery,
  type DueAttempt,
  isHandshake,
  judgeMessage,
  nextAttempt,
  transitionAfter,
} from '#shared/domain/delivery.ts';
import type { Clock, RecordAttempt, Report, ScheduleAttempt } from '#shared/operations/ports.ts';

export type FollowUpDeps = {
  readonly now: Clock;
  /** Milliseconds by which a wake-up may come before its time; above 0 only where waits are played faster. */
  readonly earliness: number;
  readonly recordAttempt: RecordAttempt;
  readonly scheduleAttempt: ScheduleAttempt;
  readonly report: Report;
};

/** What to do with a message whose attempt could not be claimed, given the delivery as it is. */
export async function settleMessage(
  deps: FollowUpDeps,
  due: DueAttempt,
  delivery: Delivery | null,
): Promise<'done' | 'retry'> {
  // Stored before it is queued: what is not there yet will be, or the message ends in the dead-letter queue.
  if (delivery === null) return 'retry';
  switch (judgeMessage(delivery, due.attempt, deps.now(), deps.earliness)) {
    case 'settled':
      return 'done';
    case 'waiting':
      await followUp(deps, delivery);
      return 'done';
    case 'interrupted':
      await recordInterruption(deps, delivery);
      return 'done';
    default:
      return 'retry';
  }
}

/**
 * Makes the timer of the next attempt, if there is one. The due time is stored already, so a timer that cannot be
 * made delays the attempt until the next sweep and loses nothing.
 */
export async function followUp(deps: FollowUpDeps, delivery: Delivery): Promise<void> {
  if (delivery.status !== 'pending' || delivery.retryAt === null) return;
  try {
    await deps.scheduleAttempt(nextAttempt(delivery), delivery.retryAt);
  } catch (cause) {
    deps.report({ name: 'step.failed', step: 'schedule', delivery, cause });
  }
}

/** The worker of the attempt is gone: whether its POST left is unknown, so it counts as made, and as failed. */
async function recordInterruption(deps: FollowUpDeps, delivery: Delivery): Promise<void> {
  if (delivery.claim === null) return;
  const now = deps.now();
  const at = claimedAt(delivery.claim);
  const entry = {
    at,
    outcome: 'interrupted',
    responseStatus: null,
    error: 'The attempt was interrupted before its outcome was known',
    durationMs: Math.max(0, now - at),
    timings: noTimings,
  } as const;
  const handshake = isHandshake(readEventBody(delivery.body).type, delivery.replayOf);
  const transition = transitionAfter(delivery.attempts, 'interrupted', now, handshake);
  const recorded = await deps.recordAttempt({
    key: delivery,
    attempt: delivery.attempts,
    token: delivery.claim.token,
    entry,
    transition,
  });
  if (!recorded) return;
  deps.report({ name: 'delivery.interrupted', delivery, attempt: delivery.attempts });
  const retryAt = transition.status === 'pending' ? transition.retryAt : null;
  await followUp(deps, { ...delivery, status: transition.status, retryAt, claim: null });
}

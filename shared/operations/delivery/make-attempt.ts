import { cancelDelivery, claimAttempt, releaseAttempt } from '#shared/aws/table/deliveries/attempts.ts';
import {
  type Claim,
  type ClaimedDelivery,
  type Delivery,
  type DueAttempt,
  outlastsPost,
} from '#shared/domain/delivery.ts';
import { claimLease, timeToClaim, timeToPost } from '#shared/domain/retry-plan.ts';
import type { Needs } from '#shared/operations/needs.ts';
import type { MessageResult, TimeLeft } from '#shared/operations/ports.ts';
import type { LoggedDelivery, ReleaseReason } from '#shared/operations/telemetry-event.ts';
import { type FinishDeps, type Finishing, finishMessage, scheduleNext } from './finish-message.ts';
import type { noteAttempts } from './note-last-delivery.ts';
import type { SharedReceiver } from './receiver.ts';
import type { ReplayEnds } from './replay-ends.ts';
import { type SendDeps, type Sending, sendAttempt } from './send-attempt.ts';
import type { HealthWatch } from './watch-health.ts';
import type { Pace } from './watch-pace.ts';

export type MakeDeps = SendDeps & FinishDeps & Pick<Needs, 'randomBytes'>;

/** An endpoint, and what the attempts of a batch find out about it. */
export type Visit = {
  readonly receiver: SharedReceiver;
  readonly pace: Pace;
  readonly health: HealthWatch;
  readonly note: ReturnType<typeof noteAttempts>;
  readonly ends: ReplayEnds;
  readonly sending: Sending;
};

/**
 * Makes one attempt. The endpoint is read and its secrets are decrypted before the claim, so that these steps can fail
 * without using up the attempt. The claim counts the attempt before anything is sent, and is released if nothing was
 * sent.
 */
export async function makeAttempt(
  deps: MakeDeps,
  due: DueAttempt,
  { receiver, pace, health, note, ends, sending }: Visit,
  timeLeft: TimeLeft,
): Promise<MessageResult> {
  if (timeLeft() < timeToClaim) return 'retry';

  const finishing = { lane: pace.lane(), record: sending.record };
  const taken = await claim(deps, due);
  if (!taken.claimed) {
    if (taken.delivery !== null) {
      await health.noteEnd(taken.delivery);
      ends.note(taken.delivery, taken.delivery.status);
    }
    return finishMessage(deps, due, taken.delivery, finishing);
  }
  const { delivery } = taken;

  if (!outlastsPost(delivery.claim, deps.now()) || timeLeft() < timeToPost) {
    await release(deps, { ...due, key: delivery }, delivery.claim, 'out_of_time');
    return 'retry';
  }

  const sent = await sendAttempt(deps, delivery, receiver, sending);
  if (typeof sent === 'string') {
    await release(deps, { ...due, key: delivery }, delivery.claim, sent);
    return sent === 'endpoint_deleted' ? cancelAttempt(deps, due, ends, finishing) : 'retry';
  }

  if (sent.isRecorded) {
    await Promise.all([
      scheduleNext(deps, sent.delivery, pace.lane()),
      note(receiver.endpoint, sent.delivery, sent.entry.at),
    ]);
  }
  return 'done';
}

type Taken =
  | { readonly claimed: true; readonly delivery: ClaimedDelivery }
  | { readonly claimed: false; readonly delivery: Delivery | null };

async function claim(deps: MakeDeps, due: DueAttempt): Promise<Taken> {
  const at = deps.now();
  const held = {
    fencingToken: Buffer.from(deps.randomBytes(9)).toString('base64url'),
    leaseUntil: at + claimLease,
  };
  try {
    const asked = { ...held, latestDue: at + deps.dueToleranceMs };
    const taken = await claimAttempt(deps.table, due.key, due.attempt, asked);
    return taken.claimed ? { claimed: true, delivery: { ...taken.delivery, claim: held } } : taken;
  } catch (cause) {
    // The claim may be stored although its response was lost.
    await release(deps, due, held, 'claim_unanswered');
    throw cause;
  }
}

/** A claim that cannot be released holds until its lease ends, and the attempt counts as interrupted. */
async function release(
  deps: MakeDeps,
  { key: delivery, attempt: number }: Pick<DueAttempt, 'attempt'> & { readonly key: LoggedDelivery },
  held: Claim,
  reason: ReleaseReason,
): Promise<void> {
  try {
    const wasHeld = await releaseAttempt(deps.table, delivery, number, held.fencingToken);
    if (wasHeld) deps.report({ name: 'attempt.released', delivery, attempt: number, reason });
  } catch (cause) {
    deps.report({ name: 'step.failed', step: 'release', delivery, cause });
  }
}

/** Ends a delivery whose endpoint was deleted. An attempt that was interrupted counts: it is recorded, as any other. */
export async function cancelAttempt(
  deps: MakeDeps,
  due: DueAttempt,
  ends: ReplayEnds,
  finishing: Finishing,
): Promise<MessageResult> {
  const { key } = due;
  const { outcome, delivery } = await cancelDelivery(deps.table, key, 'endpoint_deleted', deps.now());
  if (outcome === 'cancelled') {
    deps.report({ name: 'delivery.cancelled', delivery: key, reason: 'endpoint_deleted' });
  }
  if (delivery !== null) ends.note(delivery, delivery.status);
  return outcome === 'in_flight' ? finishMessage(deps, due, delivery, finishing) : 'done';
}

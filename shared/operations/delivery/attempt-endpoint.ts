import {
  type Claim,
  type ClaimedDelivery,
  claimedAt,
  type Delivery,
  type DeliveryKey,
  type DueAttempt,
} from '#shared/domain/delivery.ts';
import { type Lane, laneOf } from '#shared/domain/lane.ts';
import { claimGrace, claimLease, timeToClaim, timeToPost } from '#shared/domain/retry-plan.ts';
import type {
  After,
  CancelDelivery,
  ClaimAttempt,
  EnqueueAttempts,
  MessageResult,
  RandomBytes,
  ReleaseAttempt,
  TimeLeft,
} from '#shared/operations/ports.ts';
import type { LoggedDelivery, ReleaseReason } from '#shared/operations/telemetry-event.ts';
import { type AnnounceDeps, announceChanges } from './announce-changes.ts';
import { type FinishDeps, finishMessage, scheduleNext } from './finish-message.ts';
import { type NoteAttempt, type NoteDeps, noteAttempts } from './note-last-delivery.ts';
import { readReceiver, SharedReceiver } from './receiver.ts';
import { type SendDeps, sendAttempt } from './send-attempt.ts';
import { type HealthDeps, type HealthWatch, watchHealth } from './watch-health.ts';
import { type Pace, type PaceDeps, watchPace } from './watch-pace.ts';

export type AttemptDeps = SendDeps &
  FinishDeps &
  NoteDeps &
  HealthDeps &
  AnnounceDeps &
  PaceDeps & {
    /** Of the queue that the attempts come from. The slow lane makes every attempt itself. */
    readonly lane: Lane;
    readonly enqueueAttempts: EnqueueAttempts;
    readonly randomBytes: RandomBytes;
    readonly after: After;
    readonly claimAttempt: ClaimAttempt;
    readonly releaseAttempt: ReleaseAttempt;
    readonly cancelDelivery: CancelDelivery;
  };

export type EndpointKey = Pick<DeliveryKey, 'customerId' | 'webhookId'>;

type Result = readonly [DueAttempt, MessageResult];

/**
 * Makes the due attempts at one endpoint concurrently, after one read of the endpoint, or passes them on to the slow
 * lane. A failure of this service returns the message of its attempt to the queue and affects no other attempt.
 */
export async function attemptEndpoint(
  deps: AttemptDeps,
  endpoint: EndpointKey,
  attempts: readonly DueAttempt[],
  timeLeft: TimeLeft,
): Promise<readonly Result[]> {
  try {
    const read = await readReceiver(deps, endpoint.customerId, endpoint.webhookId);
    if (read === null) return await each(deps, attempts, (due) => cancel(deps, due));
    const receiver = new SharedReceiver(deps, read);
    if (laneOf(receiver.endpoint) === 'slow' && deps.lane !== 'slow') return await passOn(deps, attempts);
    const health = watchHealth(deps, receiver.endpoint);
    const visit = { receiver, pace: watchPace(deps, receiver.endpoint), health, note: noteAttempts(deps) };
    const watching = { ...deps, recordAttempt: health.recordAttempt };
    const results = await each(deps, attempts, (due) => attempt(watching, due, visit, timeLeft));
    await visit.pace.settle();
    const ids = attempts.map(({ key }) => key.id);
    if (await announceChanges(deps, receiver.endpoint, ids, health.change())) return results;
    return attempts.map((due) => [due, 'retry']);
  } catch (cause) {
    return attempts.map((due) => failed(deps, due, cause));
  }
}

function each(
  deps: AttemptDeps,
  attempts: readonly DueAttempt[],
  run: (due: DueAttempt) => Promise<MessageResult>,
): Promise<readonly Result[]> {
  return Promise.all(
    attempts.map(async (due): Promise<Result> => {
      try {
        return [due, await run(due)];
      } catch (cause) {
        return failed(deps, due, cause);
      }
    }),
  );
}

function failed(deps: AttemptDeps, due: DueAttempt, cause: unknown): Result {
  deps.report({ name: 'step.failed', step: 'deliver', delivery: due.key, cause });
  return [due, 'retry'];
}

/** Nothing is claimed: the slow lane makes the attempts. A message is done only when its copy is on the other queue. */
async function passOn(deps: AttemptDeps, attempts: readonly DueAttempt[]): Promise<readonly Result[]> {
  const refused = new Set(await deps.enqueueAttempts(attempts, 'slow'));
  return attempts.map((due): Result => [due, refused.has(due) ? 'retry' : 'done']);
}

/** An endpoint, and what the attempts of a batch find out about it. */
type Visit = {
  readonly receiver: SharedReceiver;
  readonly pace: Pace;
  readonly health: HealthWatch;
  readonly note: NoteAttempt;
};

/**
 * Makes one attempt. The endpoint is read and its secrets are decrypted before the claim, so that these steps can fail
 * without using up the attempt. The claim counts the attempt before anything is sent, and is released if nothing was
 * sent.
 */
async function attempt(
  deps: AttemptDeps,
  due: DueAttempt,
  { receiver, pace, health, note }: Visit,
  timeLeft: TimeLeft,
): Promise<MessageResult> {
  if (timeLeft() < timeToClaim) return 'retry';

  const taken = await claim(deps, due);
  if (!taken.claimed) {
    if (taken.delivery !== null) await health.noteEnd(taken.delivery);
    return finishMessage(deps, due, taken.delivery, pace.lane());
  }
  const { delivery } = taken;

  const isLate = deps.now() > claimedAt(delivery.claim) + claimGrace;
  if (isLate || timeLeft() < timeToPost) {
    await release(deps, { ...due, key: delivery }, delivery.claim, 'out_of_time');
    return 'retry';
  }

  const sent = await sendAttempt({ ...deps, postEvent: pace.postEvent }, delivery, receiver);
  if (typeof sent === 'string') {
    await release(deps, { ...due, key: delivery }, delivery.claim, sent);
    return sent === 'endpoint_deleted' ? cancel(deps, due) : 'retry';
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

async function claim(deps: AttemptDeps, due: DueAttempt): Promise<Taken> {
  const at = deps.now();
  const held = {
    fencingToken: Buffer.from(deps.randomBytes(9)).toString('base64url'),
    leaseUntil: at + claimLease,
  };
  try {
    const taken = await deps.claimAttempt(due.key, due.attempt, {
      ...held,
      latestDue: at + deps.dueToleranceMs,
    });
    return taken.claimed ? { claimed: true, delivery: { ...taken.delivery, claim: held } } : taken;
  } catch (cause) {
    // The claim may be stored although its response was lost.
    await release(deps, due, held, 'claim_unanswered');
    throw cause;
  }
}

/** A claim that cannot be released holds until its lease ends, and the attempt counts as interrupted. */
async function release(
  deps: AttemptDeps,
  { key: delivery, attempt: number }: Pick<DueAttempt, 'attempt'> & { readonly key: LoggedDelivery },
  held: Claim,
  reason: ReleaseReason,
): Promise<void> {
  try {
    const wasHeld = await deps.releaseAttempt(delivery, number, held.fencingToken);
    if (wasHeld) deps.report({ name: 'attempt.released', delivery, attempt: number, reason });
  } catch (cause) {
    deps.report({ name: 'step.failed', step: 'release', delivery, cause });
  }
}

/** Ends a delivery whose endpoint was deleted. */
async function cancel(deps: AttemptDeps, { key }: DueAttempt): Promise<MessageResult> {
  const cancelled = await deps.cancelDelivery(key, 'endpoint_deleted', deps.now());
  if (cancelled === 'cancelled') {
    deps.report({ name: 'delivery.cancelled', delivery: key, reason: 'endpoint_deleted' });
  }
  return cancelled === 'in_flight' ? 'retry' : 'done';
}

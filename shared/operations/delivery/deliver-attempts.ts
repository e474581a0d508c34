import { readEventBody } from '#shared/contract/event-body.ts';
import { type ClaimedDelivery, claimedAt, type DueAttempt } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { claimGrace, claimLease, timeToClaim, timeToPost } from '#shared/domain/retry-plan.ts';
import type {
  CancelDelivery,
  ClaimAttempt,
  RandomBytes,
  ReleaseAttempt,
  ReleaseReason,
} from '#shared/operations/ports.ts';
import { currentSecrets, type Receiver, type ReceiverDeps, readReceiver } from './receiver.ts';
import { type SendDeps, type SentAttempt, sendAttempt } from './send-attempt.ts';
import { type FollowUpDeps, followUp, settleMessage } from './settle-message.ts';

export type DeliverDeps = SendDeps &
  FollowUpDeps &
  ReceiverDeps & {
    readonly randomBytes: RandomBytes;
    readonly claimAttempt: ClaimAttempt;
    readonly releaseAttempt: ReleaseAttempt;
    readonly cancelDelivery: CancelDelivery;
    /** Notes when an endpoint was last attempted; may be skipped when the endpoint shows a time that recent. */
    readonly touchEndpoint: (endpoint: Endpoint, at: number) => Promise<void>;
  };

/** `retry`: the message goes back to the queue and comes again after its visibility timeout. */
export type MessageResult = 'done' | 'retry';

/** Milliseconds until the function is ended from outside. */
export type TimeLeft = () => number;

/**
 * Makes the attempts that a batch of messages asks for, side by side. Messages of one endpoint share its first read;
 * what is slow or fails for one endpoint takes nothing from the attempts at another.
 *
 * @returns one result for each message, in order
 */
export function deliverAttempts(deps: DeliverDeps) {
  return async (batch: readonly DueAttempt[], timeLeft: TimeLeft): Promise<readonly MessageResult[]> => {
    const reads = new Map<string, Promise<Receiver | null>>();
    return Promise.all(
      batch.map((due) => {
        const { customerId, webhookId } = due.key;
        const name = `${customerId} ${webhookId}`;
        const read = reads.get(name) ?? readReceiver(deps, customerId, webhookId);
        reads.set(name, read);
        return attemptGuarded(deps, due, read, timeLeft);
      }),
    );
  };
}

/** What fails for our own reasons costs its message another round, and no other message anything. */
async function attemptGuarded(
  deps: DeliverDeps,
  due: DueAttempt,
  read: Promise<Receiver | null>,
  timeLeft: TimeLeft,
): Promise<MessageResult> {
  try {
    return await attempt(deps, due, await read, timeLeft);
  } catch (cause) {
    deps.report({ name: 'step.failed', step: 'deliver', delivery: due.key, cause });
    return 'retry';
  }
}

/**
 * One attempt. Nothing is claimed before the endpoint is read and its secrets are open: what may fail on our side comes
 * first. The claim counts the attempt before anything is sent, and is given back if nothing was.
 */
async function attempt(
  deps: DeliverDeps,
  due: DueAttempt,
  receiver: Receiver | null,
  timeLeft: TimeLeft,
): Promise<MessageResult> {
  if (receiver === null) return cancel(deps, due);
  if (timeLeft() < timeToClaim) return 'retry';

  const claimed = await claim(deps, due);
  if (typeof claimed === 'string') return claimed;

  const isLate = deps.now() > claimedAt(claimed.claim) + claimGrace;
  if (isLate || timeLeft() < timeToPost) {
    await release(deps, due, claimed.claim.token, 'out_of_time');
    return 'retry';
  }

  const { url, customerId, id } = receiver.endpoint;
  const readAgain = () => readReceiver(deps, customerId, id);
  const sent = await sendAttempt(deps)(claimed, {
    url,
    secrets: currentSecrets(deps, receiver, readAgain),
  });
  if (typeof sent === 'string') {
    await release(deps, due, claimed.claim.token, sent);
    return sent === 'endpoint_deleted' ? cancel(deps, due) : 'retry';
  }
  return finish(deps, claimed, receiver.endpoint, sent);
}

async function claim(deps: DeliverDeps, due: DueAttempt): Promise<MessageResult | ClaimedDelivery> {
  const at = deps.now();
  const held = { token: Buffer.from(deps.randomBytes(9)).toString('base64url'), leaseUntil: at + claimLease };
  const latestDue = at + deps.earliness;
  const taken = await deps
    .claimAttempt(due.key, due.attempt, { ...held, latestDue })
    .catch(async (cause: unknown) => {
      // The claim may be stored all the same, and only its answer be lost.
      await release(deps, due, held.token, 'claim_unanswered');
      throw cause;
    });
  if (taken.claimed) return { ...taken.delivery, claim: held };
  return settleMessage(deps, due, taken.delivery);
}

/** A claim that cannot be given back runs out with its lease, and the attempt counts as interrupted. */
async function release(
  deps: DeliverDeps,
  due: DueAttempt,
  token: string,
  reason: ReleaseReason,
): Promise<void> {
  const { key: delivery, attempt } = due;
  try {
    const held = await deps.releaseAttempt(delivery, attempt, token);
    if (held) deps.report({ name: 'attempt.released', delivery, attempt, reason });
  } catch (cause) {
    deps.report({ name: 'step.failed', step: 'release', delivery, cause });
  }
}

async function finish(
  deps: DeliverDeps,
  claimed: ClaimedDelivery,
  endpoint: Endpoint,
  sent: SentAttempt,
): Promise<MessageResult> {
  if (!sent.recorded) {
    deps.report({ name: 'delivery.superseded', delivery: claimed, attempt: claimed.attempts });
    return 'done';
  }
  deps.report({
    name: 'delivery.attempted',
    delivery: claimed,
    eventId: readEventBody(claimed.body).id,
    attempt: claimed.attempts,
    entry: sent.entry,
    transition: sent.transition,
  });
  await Promise.all([followUp(deps, sent.delivery), touch(deps, endpoint, sent.entry.at)]);
  return 'done';
}

async function cancel(deps: DeliverDeps, due: DueAttempt): Promise<MessageResult> {
  const { key } = due;
  const cancelled = await deps.cancelDelivery(key, 'endpoint_deleted', deps.now());
  if (cancelled === 'cancelled') {
    deps.report({ name: 'delivery.cancelled', delivery: key, reason: 'endpoint_deleted' });
  }
  return cancelled === 'in_flight' ? 'retry' : 'done';
}

/** A display value: the attempt stands without it. */
async function touch(deps: DeliverDeps, endpoint: Endpoint, at: number): Promise<void> {
  try {
    await deps.touchEndpoint(endpoint, at);
  } catch (cause) {
    deps.report({ name: 'step.failed', step: 'touch', cause });
  }
}

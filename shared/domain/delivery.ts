import type { AttemptOutcome, LoggedAttempt } from './attempt.ts';
import type { EventSummary } from './event.ts';
import { idTime } from './ids.ts';
import { claimGrace, claimLease, nextAttemptAt } from './retry-plan.ts';

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** What a list can be narrowed to: a status, or the pending deliveries of which an attempt has failed. */
export const statusFilters = [...deliveryStatuses, 'retrying'] as const;
export type StatusFilter = (typeof statusFilters)[number];

export function hasStatus({ status, log }: Pick<Delivery, 'status' | 'log'>, wanted: StatusFilter): boolean {
  return wanted === 'retrying' ? status === 'pending' && log.length > 0 : status === wanted;
}

/** One attempt that a worker has taken and not yet recorded. */
export type Claim = {
  /** Random and unique to the claim: a write with another token is refused. */
  readonly fencingToken: string;
  /** Epoch milliseconds. Until this time, no other worker changes the delivery. */
  readonly leaseUntil: number;
};

/** One event on its way to one endpoint. Times are epoch milliseconds. */
export type Delivery = {
  readonly id: string;
  readonly customerId: string;
  readonly webhookId: string;
  /** The event body: the exact text whose UTF-8 bytes are signed and sent. */
  readonly body: string;
  /** The event, parsed from the body. */
  readonly event: EventSummary;
  readonly replayOf: string | null;
  /** The endpoint of `replayOf`, when it is another one. */
  readonly sourceWebhookId: string | null;
  /** Where its end is counted, for a replay that a bulk replay made. */
  readonly tally: string | null;
  /** The newest replay of this delivery. */
  readonly replayedBy: string | null;
  readonly status: DeliveryStatus;
  /** Attempts claimed so far. */
  readonly attempts: number;
  readonly claim: Claim | null;
  /** When the next attempt is due; `null` for the first one and once the delivery ended. */
  readonly retryAt: number | null;
  /** When the last recorded attempt began. */
  readonly lastAttemptAt: number | null;
  readonly endedAt: number | null;
  /** Why the delivery was cancelled: a `CancelReason`, or a reason of another release. `null` when it was not. */
  readonly cancelled: string | null;
  readonly log: readonly LoggedAttempt[];
};

export type DeliveryKey = Pick<Delivery, 'customerId' | 'webhookId' | 'id'>;

/** An attempt that has come due; a queue or a timer carries it to a worker. */
export type DueAttempt = {
  readonly key: DeliveryKey;
  /** From 1. */
  readonly attempt: number;
};

/** A delivery with a claimed attempt. */
export type ClaimedDelivery = Delivery & { readonly claim: Claim };

export type CancelReason = 'endpoint_deleted';

/** The effect of a recorded attempt on its delivery. */
export type Transition =
  | { readonly status: 'delivered' | 'failed'; readonly endedAt: number }
  | { readonly status: 'pending'; readonly retryAt: number };

/** A new delivery, before its first attempt. */
export function pendingDelivery(
  given: Pick<Delivery, 'id' | 'customerId' | 'webhookId' | 'body' | 'event'> & {
    readonly replayOf?: string;
    readonly sourceWebhookId?: string | null;
    readonly tally?: string | null;
  },
): Delivery {
  const { id, customerId, webhookId, body, event, replayOf = null } = given;
  const { sourceWebhookId = null, tally = null } = given;
  return {
    id,
    customerId,
    webhookId,
    body,
    event,
    replayOf,
    sourceWebhookId,
    tally,
    replayedBy: null,
    status: 'pending',
    attempts: 0,
    claim: null,
    retryAt: null,
    lastAttemptAt: null,
    endedAt: null,
    cancelled: null,
    log: [],
  };
}

/** A delivery that sends the event of another one again. */
export type Replay = Delivery & { readonly replayOf: string };

/**
 * The replay of a finished delivery: the same event id and the same bytes, under another delivery id.
 *
 * @param given what a bulk replay decides. `webhookId`: the endpoint that it is sent to, by default that of the original
 */
export function replayOf(
  original: Delivery,
  id: string,
  given: { readonly webhookId?: string; readonly tally?: string } = {},
): Replay {
  const { customerId, body, event } = original;
  const { webhookId = original.webhookId, tally = null } = given;
  const sourceWebhookId = webhookId === original.webhookId ? null : original.webhookId;
  return {
    ...pendingDelivery({ id, customerId, webhookId, body, event, sourceWebhookId, tally }),
    replayOf: original.id,
  };
}

/** The delivery that a replay repeats. */
export function originalOf({ customerId, webhookId, sourceWebhookId, replayOf: id }: Replay): DeliveryKey {
  return { customerId, webhookId: sourceWebhookId ?? webhookId, id };
}

/** The delivery after the outcome of its claimed attempt was recorded. */
export function recorded(delivery: Delivery, entry: LoggedAttempt, transition: Transition): Delivery {
  return {
    ...delivery,
    status: transition.status,
    claim: null,
    retryAt: transition.status === 'pending' ? transition.retryAt : null,
    lastAttemptAt: entry.at,
    endedAt: transition.status === 'pending' ? null : transition.endedAt,
    log: [...delivery.log, entry],
  };
}

/**
 * Decides the state of a delivery after its last claimed attempt. A handshake is never retried.
 *
 * @param endedAt when the attempt ended, epoch milliseconds
 */
export function transitionAfter(delivery: Delivery, outcome: AttemptOutcome, endedAt: number): Transition {
  if (outcome === 'acknowledged') return { status: 'delivered', endedAt };
  const retryAt = isHandshake(delivery) ? null : nextAttemptAt(delivery.id, delivery.attempts, endedAt);
  return retryAt === null ? { status: 'failed', endedAt } : { status: 'pending', retryAt };
}

/**
 * When a logged attempt was planned; epoch milliseconds. The first is planned at once.
 *
 * @param index position in the log
 */
export function plannedAt({ id, log }: Pick<Delivery, 'id' | 'log'>, index: number): number {
  const before = log[index - 1];
  if (before === undefined) return idTime(id);
  const endedAt = before.at + before.durationMs;
  return nextAttemptAt(id, index, endedAt) ?? endedAt;
}

/** The meaning of a message about an attempt, given the current state of its delivery. */
export type MessageVerdict =
  /** The attempt can be claimed. */
  | 'claimable'
  /** The delivery or the attempt has ended: the message is outdated. */
  | 'obsolete'
  /** The attempt is recorded and the next one waits: its schedule may be missing. */
  | 'waiting'
  /** Another worker holds the attempt. */
  | 'in_flight'
  /** The worker that held the attempt died; the attempt counts as failed. */
  | 'interrupted'
  /** The message arrived before its time. */
  | 'early';

/**
 * Classifies a message about an attempt.
 *
 * @param attempt number of the attempt, from 1
 * @param now epoch milliseconds
 * @param dueToleranceMs milliseconds by which a message may arrive before its time
 */
export function classifyMessage(
  delivery: Delivery,
  attempt: number,
  now: number,
  dueToleranceMs: number,
): MessageVerdict {
  if (delivery.status !== 'pending' || delivery.attempts > attempt) return 'obsolete';
  if (delivery.attempts === attempt) return classifyTaken(delivery.claim, now);
  if (delivery.attempts < attempt - 1 || delivery.claim !== null) return 'early';
  return delivery.retryAt !== null && delivery.retryAt > now + dueToleranceMs ? 'early' : 'claimable';
}

function classifyTaken(claim: Claim | null, now: number): MessageVerdict {
  if (claim === null) return 'waiting';
  return claim.leaseUntil > now ? 'in_flight' : 'interrupted';
}

/** When the claim was made, by the clock of its worker; epoch milliseconds. */
export function claimedAt(claim: Claim): number {
  return claim.leaseUntil - claimLease;
}

/** Whether a claim still holds when a POST that begins now is over. */
export function outlastsPost(claim: Claim, now: number): boolean {
  return now <= claimedAt(claim) + claimGrace;
}

/** The attempt that a pending delivery needs next: the claimed one, or the one after the last. */
export function nextAttempt(delivery: Delivery): DueAttempt {
  const { customerId, webhookId, id, attempts } = delivery;
  return { key: { customerId, webhookId, id }, attempt: delivery.claim === null ? attempts + 1 : attempts };
}

/**
 * Whether the delivery is a handshake at registration, which is attempted once, inside the request. Replays of it and
 * examples are ordinary deliveries.
 */
export function isHandshake({ event, replayOf }: Pick<Delivery, 'event' | 'replayOf'>): boolean {
  return event.type === 'webhook.test' && event.exampleType === null && replayOf === null;
}

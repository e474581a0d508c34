import type { DeliveryStatus } from './delivery.ts';

const minute = 60_000;

/** What will go on with a pending delivery. */
export const wakeUps = [
  /** A worker holds it. */
  'in_flight',
  /** It is in the index that the sweep reads, and its time has not come. */
  'waiting',
  /** It is in that index, and the sweep should have woken it: the sweep or the queue does not keep up. */
  'overdue',
  /** Only a message on a queue wakes it, and that may still be there. */
  'queued',
  /** Nothing will. */
  'stranded',
] as const;
export type WakeUp = (typeof wakeUps)[number];

/** As much of a delivery as tells whether it goes on. Times are epoch milliseconds. */
export type Prospect = {
  readonly status: DeliveryStatus;
  readonly createdAt: number;
  /** Until when a worker holds it; `null` when none does. */
  readonly leaseUntil: number | null;
  /** Where it stands in the index of waiting deliveries; `null` when it is not in there. */
  readonly wakeAt: number | null;
};

/** A sweep runs every five minutes and gives a timer three: later than this, it has missed the delivery. */
const overdueAfter = 15 * minute;

/** What a healthy service takes at most from storing a delivery to holding it or having a message for it. */
const settlesWithin = 15 * minute;

/**
 * No message of a delivery is on a queue for longer, while the queue is read at all: then it was received so often
 * that it went to the dead letters. A test compares this with the deployed queues.
 */
export const longestOnQueue = 6 * 60 * minute;

/** So much older are the oldest deliveries that a regular audit looks at. */
const lookedAtFor = 3 * 60 * minute;

/**
 * The deliveries that a regular audit looks at, by when they were made. Once no message can be on a queue any more,
 * a delivery is known to the sweep or to nobody: so each is looked at just after that, and some hours on, should
 * audits be missed.
 */
export function auditSpan(now: number): { readonly from: number; readonly to: number } {
  const to = now - longestOnQueue;
  return { from: to - lookedAtFor, to };
}

/** @param queuesAreEmpty whether no message was on the intake or the delivery queue before the delivery was read */
export function wakeUpOf(prospect: Prospect, now: number, queuesAreEmpty: boolean): WakeUp | 'ended' {
  const { status, createdAt, leaseUntil, wakeAt } = prospect;
  if (status !== 'pending') return 'ended';
  if (leaseUntil !== null && leaseUntil > now) return 'in_flight';
  if (wakeAt !== null) return wakeAt < now - overdueAfter ? 'overdue' : 'waiting';
  const mayBeQueued = now - createdAt < (queuesAreEmpty ? settlesWithin : longestOnQueue);
  return mayBeQueued ? 'queued' : 'stranded';
}

import type { DeliveryKey, DeliveryStatus } from './delivery.ts';

const minute = 60_000;

/** What continues a pending delivery. */
export const allProgress = [
  /** A worker holds it. */
  'in_flight',
  /** It is in the index that the sweep reads, and not overdue. */
  'waiting',
  /** It is in that index, and the sweep should have queued it: the sweep or the queue does not keep up. */
  'overdue',
  /** Only a message on a queue continues it, and that message may still be there. */
  'queued',
  /** Nothing continues it. */
  'stranded',
] as const;
export type Progress = (typeof allProgress)[number];

/** The facts of a delivery that decide whether it makes progress. Times are epoch milliseconds. */
export type AuditedDelivery = {
  readonly key: DeliveryKey;
  readonly status: DeliveryStatus;
  readonly createdAt: number;
  /** Until when a worker holds it; `null` when none does. */
  readonly leaseUntil: number | null;
  /** Where it stands in the index of waiting deliveries; `null` when it is not in there. */
  readonly dueAt: number | null;
};

/** A sweep runs every five minutes and allows a timer three: a delivery that waits longer was missed. */
const overdueAfter = 15 * minute;

/** The longest time in which a healthy service claims a new delivery or puts a message for it on the queue. */
const startsWithin = 15 * minute;

/**
 * No message stays on a queue for longer while the queue is consumed: after that many receives it is a dead letter. A
 * test compares this with the deployed queues.
 */
export const longestOnQueue = 6 * 60 * minute;

/** The length of the span that a regular audit covers. */
const lookedAtFor = 3 * 60 * minute;

/**
 * The deliveries that a regular audit covers, by when they were made. Once no message of a delivery can be on a queue,
 * only the sweep can continue it. Each delivery is audited from then on for some hours, in case audits are missed.
 */
export function auditSpan(now: number): { readonly from: number; readonly to: number } {
  const to = now - longestOnQueue;
  return { from: to - lookedAtFor, to };
}

/** @param queuesAreEmpty whether no message was on the intake or the delivery queue before the delivery was read */
export function progressOf(
  delivery: Omit<AuditedDelivery, 'key'>,
  now: number,
  queuesAreEmpty: boolean,
): Progress | 'ended' {
  const { status, createdAt, leaseUntil, dueAt } = delivery;
  if (status !== 'pending') return 'ended';
  if (leaseUntil !== null && leaseUntil > now) return 'in_flight';
  if (dueAt !== null) return dueAt < now - overdueAfter ? 'overdue' : 'waiting';
  const mayBeQueued = now - createdAt < (queuesAreEmpty ? startsWithin : longestOnQueue);
  return mayBeQueued ? 'queued' : 'stranded';
}

import type { BulkReplayKey } from './bulk-replay.ts';
import type { DeliveryKey, DeliveryStatus } from './delivery.ts';

const minute = 60_000;

/** A span of creation times, epoch milliseconds, both ends included. */
export type Span = { readonly from: number; readonly to: number };

/** The ways in which a pending delivery continues. */
export type Progress =
  /** A worker holds the delivery. */
  | 'in_flight'
  /** The delivery is in the `waiting` index and not overdue. */
  | 'waiting'
  /** The delivery is in the `waiting` index, and the sweep should have queued it: the sweep or the queue is behind. */
  | 'overdue'
  /** Only a message on a queue continues the delivery, and that message may still be there. */
  | 'queued'
  /** Nothing continues the delivery. */
  | 'stranded';

/** The facts of a delivery that decide whether it makes progress. Times are epoch milliseconds. */
export type AuditedDelivery = {
  readonly key: DeliveryKey;
  readonly status: DeliveryStatus;
  readonly createdAt: number;
  /** End of the lease of the worker that holds the delivery; `null` without a worker. */
  readonly leaseUntil: number | null;
  /** Due time in the `waiting` index; `null` for a delivery that is not in the index. */
  readonly dueAt: number | null;
};

/**
 * A timer fires within the minute after its time, and its message takes a moment. The sweep queues a delivery that is due
 * for longer than this. Milliseconds.
 */
export const sweepGrace = 3 * minute;

/**
 * A sweep runs every 5 minutes and waits 3 minutes for a timer: a delivery that is due for longer than this was missed.
 */
const overdueAfter = 15 * minute;

/** Maximum time in which a healthy service claims a new delivery or puts a message for it on the queue. */
const startsWithin = 15 * minute;

/**
 * Maximum time of a message that fails on a consumed queue, in milliseconds: its receives are then used up, and the
 * message is a dead letter. A test compares this value with the deployed queues. A message that is put off, because
 * its endpoint is slow, can stay for most of a day: the audit then passes its delivery to the sweep, which queues it
 * again every 15 minutes. That makes no attempt twice.
 */
export const longestOnQueue = 6 * 60 * minute;

/** Length of the span that a regular audit covers, in milliseconds. */
const auditedFor = 3 * 60 * minute;

/**
 * The span that a regular audit covers. Once no message of a delivery can be on a queue, only the sweep can continue it.
 * From then on, each delivery is audited for some hours, in case audits are missed.
 */
export function auditSpan(now: number): Span {
  const to = now - longestOnQueue;
  return { from: to - auditedFor, to };
}

/**
 * Classifies the progress of a delivery.
 *
 * @param now epoch milliseconds
 * @param queuesAreEmpty whether no message was on the intake queue or a delivery queue before the delivery was read
 */
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

/** The facts of a running bulk replay that decide whether it makes progress. Times are epoch milliseconds. */
export type AuditedReplay = {
  readonly key: BulkReplayKey;
  /** When a worker last took one of its steps; before its first step, when it was created. */
  readonly lastStepAt: number;
};

/**
 * Whether nothing continues a running bulk replay. A worker takes its step each time that the message of the step
 * arrives, also when the step fails.
 */
export function isStalled({ lastStepAt }: AuditedReplay, now: number): boolean {
  return now - lastStepAt > longestOnQueue;
}

import type { AttemptLogEntry, Withdrawal } from '#shared/domain/attempt.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import type { CancelReason, Delivery, DeliveryKey, Transition } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { EventSummary } from '#shared/domain/event.ts';
import type { AuditedReplay } from '#shared/domain/progress.ts';

/** Why a claim was released: nothing was sent, and the attempt does not count. */
export type ReleaseReason = Withdrawal | 'claim_unanswered' | 'out_of_time';

/** A delivery in a log line: its ids, with those of its event when it has been read. */
export type LoggedDelivery = DeliveryKey & Partial<Pick<Delivery, 'event'>>;

/** What a log line is about, when it is about no delivery. */
export type LoggedSubject = {
  readonly customerId: string;
  readonly webhookId?: string;
  readonly runId?: string;
};

/** A delivery in a log line about one of its attempts. */
export type AttemptedDelivery = DeliveryKey & Pick<Delivery, 'event' | 'replayOf'>;

/**
 * The result of an intake message. `repeated`: an earlier message had created its event. `retried`: the message stays
 * on the queue.
 */
export type IntakeResult = 'accepted' | 'repeated' | 'unknown_customer' | 'retried';

/** The event of an intake message that was accepted or repeated. */
export type AcceptedEvent = {
  readonly customerId: string;
  readonly event: Pick<EventSummary, 'id' | 'type' | 'runId'>;
  /** Endpoints that the event goes to. */
  readonly deliveries: number;
  readonly isRepeated: boolean;
};

/** Events for logs and metrics; never with a secret, a credential or a body. */
export type TelemetryEvent =
  | {
      readonly name: 'delivery.attempted';
      readonly delivery: AttemptedDelivery;
      readonly attempt: number;
      readonly entry: AttemptLogEntry;
      readonly transition: Transition;
    }
  | {
      readonly name: 'attempt.released';
      readonly delivery: LoggedDelivery;
      readonly attempt: number;
      readonly reason: ReleaseReason;
    }
  | {
      readonly name: 'delivery.interrupted';
      readonly delivery: AttemptedDelivery;
      readonly attempt: number;
      readonly transition: Transition;
    }
  | { readonly name: 'delivery.cancelled'; readonly delivery: DeliveryKey; readonly reason: CancelReason }
  | { readonly name: 'delivery.superseded'; readonly delivery: LoggedDelivery; readonly attempt: number }
  | { readonly name: 'delivery.stranded'; readonly delivery: DeliveryKey; readonly createdAt: number }
  /** Nothing continues a running bulk replay. */
  | ({ readonly name: 'replay.stalled' } & AuditedReplay)
  /** A sweep queued overdue deliveries. */
  | {
      readonly name: 'sweep.done';
      /** Number of queued deliveries. */
      readonly woken: number;
      /** Milliseconds since the earliest due time that the sweep found. */
      readonly oldestOverdue: number;
    }
  /** The lane of an endpoint changed. */
  | {
      readonly name: 'endpoint.slow' | 'endpoint.quick_again';
      readonly endpoint: Pick<Endpoint, 'customerId' | 'id'>;
    }
  /** A batch of the intake is finished: the result of each message, and the events among them. */
  | {
      readonly name: 'intake.done';
      readonly results: readonly IntakeResult[];
      readonly events: readonly AcceptedEvent[];
    }
  /** A bulk replay began, or ended with its final counts. */
  | { readonly name: 'replay.started' | 'replay.ended'; readonly job: BulkReplay }
  /** A step of a bulk replay, with the counts of the job after it. */
  | {
      readonly name: 'replay.stepped';
      readonly job: BulkReplay;
      readonly replayed: number;
      readonly skipped: number;
    }
  /** A message was refused because its customer does not exist. */
  | ({ readonly name: 'unknown_customer'; readonly type: string } & LoggedSubject)
  | {
      /** A row that this release cannot read was left out of a list. */
      readonly name: 'row.unreadable';
      readonly kind: string;
      readonly key: { readonly pk: string; readonly sk: string };
      /** Which attribute is wrong and what is expected; never its value. */
      readonly fault: string;
    }
  | {
      readonly name: 'step.failed';
      readonly step: string;
      readonly delivery?: LoggedDelivery;
      /** What the step was for, when it was not for a delivery. */
      readonly subject?: LoggedSubject;
      readonly cause: unknown;
    };

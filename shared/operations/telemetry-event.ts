import type { DimensionsOf, MetricKey } from '#shared/contract/metrics.ts';
import type { OperationName } from '#shared/contract/routes.ts';
import type { AttemptLogEntry, Withdrawal } from '#shared/domain/attempt.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import type { CancelReason, Delivery, DeliveryKey, DeliveryStatus, Transition } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { EventSummary } from '#shared/domain/event.ts';
import type { AuditedReplay, Progress } from '#shared/domain/progress.ts';

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

/** A request to the API. */
type LoggedRequest = {
  /** `undefined` when API Gateway sent none. */
  readonly requestId: string | undefined;
  readonly operation: OperationName;
  /** Absent when the credential was refused. */
  readonly customerId?: string;
  /** The ids in the path, by the names of their members in the line. */
  readonly path: Readonly<Record<string, string>>;
  /** `undefined` when there is no response. */
  readonly status: number | undefined;
};

/** An attempt whose outcome is stored. */
export type RecordedOutcome = {
  readonly delivery: AttemptedDelivery;
  readonly attempt: number;
  readonly entry: AttemptLogEntry;
  readonly transition: Transition;
};

/** What functions log and measure, by name; never with a secret, a credential or a body. */
type TelemetryEvents = {
  readonly 'delivery.attempted': RecordedOutcome;
  /** The attempts of a batch that were acknowledged. */
  readonly 'deliveries.acknowledged': { readonly attempts: readonly RecordedOutcome[] };
  readonly 'attempt.released': {
    readonly delivery: LoggedDelivery;
    readonly attempt: number;
    readonly reason: ReleaseReason;
  };
  readonly 'delivery.interrupted': Omit<RecordedOutcome, 'entry'>;
  readonly 'delivery.cancelled': { readonly delivery: DeliveryKey; readonly reason: CancelReason };
  readonly 'delivery.superseded': { readonly delivery: LoggedDelivery; readonly attempt: number };
  readonly 'delivery.stranded': { readonly delivery: DeliveryKey; readonly createdAt: number };
  /** Nothing continues a running bulk replay. */
  readonly 'replay.stalled': AuditedReplay;
  /** A sweep queued overdue deliveries. */
  readonly 'sweep.done': {
    /** Number of queued deliveries. */
    readonly requeued: number;
    /** Milliseconds since the earliest due time that the sweep found. */
    readonly oldestOverdue: number;
  };
  /** The lane of an endpoint changed. */
  readonly 'endpoint.slow': EndpointEvent;
  readonly 'endpoint.quick_again': EndpointEvent;
  /** Attempts at a slow endpoint come back later, because it answers a few at once. */
  readonly 'attempts.put_off': EndpointEvent & { readonly attempts: number };
  /** The events of an endpoint stopped arriving, or arrive again. */
  readonly 'endpoint.failing': EndpointEvent;
  readonly 'endpoint.recovered': EndpointEvent;
  /** A batch of the intake is finished: the result of each message, and the events among them. */
  readonly 'intake.done': {
    readonly results: readonly IntakeResult[];
    readonly events: readonly AcceptedEvent[];
  };
  readonly 'replay.started': { readonly job: BulkReplay };
  /** A bulk replay ended, with its final counts. */
  readonly 'replay.ended': { readonly job: BulkReplay };
  /** A step of a bulk replay, with the counts of the job after it. */
  readonly 'replay.stepped': {
    readonly job: BulkReplay;
    readonly replayed: number;
    readonly skipped: number;
  };
  /** A message was refused because its customer does not exist. */
  readonly unknown_customer: { readonly type: string } & LoggedSubject;
  /** A row that this release cannot read was left out of a list. */
  readonly 'row.unreadable': {
    readonly kind: string;
    readonly key: { readonly pk: string; readonly sk: string };
    /** Which attribute is wrong and what is expected; never its value. */
    readonly fault: string;
  };
  readonly 'audit.done': {
    readonly deliveries: Readonly<Record<DeliveryStatus, number>>;
    readonly pending: Readonly<Record<Progress, number>>;
    readonly requeued: number;
    readonly stalledReplays: number;
    /** Seconds; 0 when no delivery is stranded. */
    readonly oldestStranded: number;
    readonly complete: boolean;
    /** Customers whose audit was begun and not finished. */
    readonly unfinished: readonly string[];
  };
  /** A malformed message became a dead letter. */
  readonly 'message.refused': {
    readonly messageId: string;
    readonly reason: string;
    /** Counts it; absent when it is only logged. */
    readonly metric?: MetricKey;
  };
  /** Messages could not be processed and return to their queue. */
  readonly 'messages.returned': {
    readonly returned: number;
    readonly queue: DimensionsOf<'oldestReturned'>['queue'];
    /** Milliseconds since the oldest of them was sent. */
    readonly oldest: number;
  };
  /** The API answered a request; `code` is that of its problem document. */
  readonly 'request.done': { readonly code?: string } & LoggedRequest;
  /** A request was answered with 5xx. */
  readonly 'request.failed': { readonly cause: unknown } & LoggedRequest;
  /** A program of the operator created a customer, or created or revoked an API key. */
  readonly 'operator.done': {
    readonly operation: 'createCustomer' | 'createApiKey' | 'revokeApiKey';
    readonly customerId: string;
    readonly credentialId?: string;
  };
  readonly 'portal_link.created': {
    readonly customerId: string;
    readonly credentialId: string;
    /** RFC 3339. */
    readonly expiresAt: string;
  };
  readonly 'step.failed': {
    readonly step: string;
    readonly delivery?: LoggedDelivery;
    /** What the step was for, when it was not for a delivery. */
    readonly subject?: LoggedSubject;
    /** Message of a queue. */
    readonly messageId?: string;
    readonly cause: unknown;
  };
};

type EndpointEvent = { readonly endpoint: Pick<Endpoint, 'customerId' | 'id'> };

export type TelemetryEvent<Name extends keyof TelemetryEvents = keyof TelemetryEvents> = {
  [N in Name]: { readonly name: N } & TelemetryEvents[N];
}[Name];

import type { AttemptLogEntry, PostResult } from '#shared/domain/attempt.ts';
import type {
  CancelReason,
  Claim,
  Delivery,
  DeliveryKey,
  DueAttempt,
  Transition,
} from '#shared/domain/delivery.ts';
import type { EncryptedSecret, Endpoint } from '#shared/domain/endpoint.ts';

/**
 * What several operations need from outside. An operation names the few it uses in its own `Deps`; the adapters
 * in `shared/aws` and `shared/http` implement them.
 */

/** Epoch milliseconds. */
export type Clock = () => number;
export type RandomBytes = (size: number) => Uint8Array;

/** What a sealed secret is bound to; opening it with another context fails. */
export type SecretContext = { readonly customerId: string; readonly webhookId: string };
export type EncryptSecret = (secret: string, context: SecretContext) => Promise<EncryptedSecret>;
export type DecryptSecret = (sealed: EncryptedSecret, context: SecretContext) => Promise<string>;

/** Decides whether events may be sent to a URL; `url` is the form that is stored and dialled. */
export type CheckUrl = (
  text: string,
) => Promise<{ readonly ok: true; readonly url: string } | { readonly ok: false; readonly detail: string }>;

/** Why an attempt is given up before anything is sent. */
export type Withdrawal =
  | 'endpoint_deleted'
  /** The endpoint could not be read in time: whether it may be posted to is unknown. */
  | 'endpoint_unread';

export type Headers = Readonly<Record<string, string>>;

/**
 * One attempt: at most one POST. It resolves and checks the address afresh, and never throws for a receiver's failure.
 *
 * @returns the withdrawal that `headers` answered; then nothing was sent
 */
export type PostEvent = (request: {
  /** The endpoint: no connection that served another one is used. */
  readonly webhookId: string;
  readonly url: string;
  /**
   * Asked when the connection stands, and again if the answer took time; the request begins in the moment in which it
   * answers at once. The headers are sent with names and values as given, besides `Host`, `Content-Length`,
   * `Accept-Encoding`, `Connection`.
   */
  readonly headers: () => Promise<Headers | Withdrawal>;
  /** Sent as these very bytes. */
  readonly body: Uint8Array;
}) => Promise<PostResult | Withdrawal>;

/** Reads a live endpoint; `null` when it was deleted or never existed. Strongly consistent. */
export type ReadLiveEndpoint = (customerId: string, webhookId: string) => Promise<Endpoint | null>;

/** Reads an endpoint, deleted or not; strongly consistent. */
export type ReadEndpoint = (customerId: string, webhookId: string) => Promise<Endpoint | null>;

/** All live endpoints of a customer, newest first; strongly consistent. */
export type ListLiveEndpoints = (customerId: string) => Promise<readonly Endpoint[]>;

/** Strongly consistent. */
export type ReadDelivery = (key: DeliveryKey) => Promise<Delivery | null>;

/**
 * Stores a new delivery unless its id is taken.
 * @param dueAt when the sweeper may look after it, for a delivery that no redelivered message brings back
 * @returns the delivery as stored: this one, or the one that was there
 */
export type StoreDelivery = (delivery: Delivery, dueAt: number | null) => Promise<Delivery>;

/** Whether there is such a customer; what says no has read strongly consistent. */
export type IsCustomerKnown = (customerId: string) => Promise<boolean>;

/** `retry`: the message stays on the queue and is received again after its visibility timeout. */
export type MessageResult = 'done' | 'retry';

/** The message can never be processed: it goes to the dead letters with this reason. */
export type Refusal = { readonly refused: string };

/** Milliseconds until the function is ended from outside. */
export type TimeLeft = () => number;

export type RecordedAttempt = {
  readonly key: DeliveryKey;
  readonly attempt: number;
  /** Of the claim under which the attempt was made. */
  readonly fencingToken: string;
  readonly entry: AttemptLogEntry;
  readonly transition: Transition;
};

/** @returns `false` when the claim no longer holds: somebody else has settled the attempt */
export type RecordAttempt = (recorded: RecordedAttempt) => Promise<boolean>;

/** Takes an attempt before its POST (a write-ahead claim). A refusal shows the delivery as it is. */
export type ClaimAttempt = (
  key: DeliveryKey,
  attempt: number,
  claim: Claim & { readonly latestDue: number },
) => Promise<
  | { readonly claimed: true; readonly delivery: Delivery }
  | { readonly claimed: false; readonly delivery: Delivery | null }
>;

/**
 * Gives a claim back for whose attempt nothing was sent, so that the attempt does not count. Changes nothing when the
 * claim does not hold: it was never stored, was given back before, or was settled by another worker.
 *
 * @returns whether the claim held
 */
export type ReleaseAttempt = (key: DeliveryKey, attempt: number, fencingToken: string) => Promise<boolean>;

/**
 * Ends a pending delivery as failed without another attempt.
 * @returns `in_flight` when a worker holds the delivery, `ended` when it had ended before
 */
export type CancelDelivery = (
  key: DeliveryKey,
  reason: CancelReason,
  at: number,
) => Promise<'cancelled' | 'ended' | 'in_flight'>;

/** Puts attempts on the delivery queue. @returns those of the given ones that the queue did not accept */
export type EnqueueAttempts = (due: readonly DueAttempt[]) => Promise<readonly DueAttempt[]>;

/** Makes the one-shot schedule of an attempt; one that exists already is fine. */
export type ScheduleAttempt = (due: DueAttempt, at: number) => Promise<void>;

/** Why a claim was given back: nothing was sent, and the attempt does not count. */
export type ReleaseReason = Withdrawal | 'claim_unanswered' | 'out_of_time';

/** Waits that many milliseconds. */
export type Wait = (milliseconds: number) => Promise<void>;

/** Things worth a log line or a metric; never a secret, a credential or a body. */
export type TelemetryEvent =
  | {
      readonly name: 'delivery.attempted';
      readonly delivery: DeliveryKey;
      readonly eventId: string;
      readonly attempt: number;
      readonly entry: AttemptLogEntry;
      readonly transition: Transition;
    }
  | {
      readonly name: 'attempt.released';
      readonly delivery: DeliveryKey;
      readonly attempt: number;
      readonly reason: ReleaseReason;
    }
  | { readonly name: 'delivery.interrupted'; readonly delivery: DeliveryKey; readonly attempt: number }
  | { readonly name: 'delivery.cancelled'; readonly delivery: DeliveryKey; readonly reason: CancelReason }
  | { readonly name: 'delivery.superseded'; readonly delivery: DeliveryKey; readonly attempt: number }
  | { readonly name: 'delivery.stranded'; readonly delivery: DeliveryKey; readonly createdAt: number }
  /** A message was refused because it names no customer of this service. */
  | { readonly name: 'unknown_customer'; readonly type: string; readonly customerId: string }
  | {
      /** A row that this release cannot read was left out of a list. */
      readonly name: 'row.unreadable';
      readonly kind: string;
      readonly key: { readonly pk: string; readonly sk: string };
      /** Which attribute is wrong and what is wanted there; nothing of what it holds. */
      readonly fault: string;
    }
  | {
      readonly name: 'step.failed';
      readonly step: string;
      readonly delivery?: DeliveryKey;
      readonly cause: unknown;
    };

export type Report = (event: TelemetryEvent) => void;

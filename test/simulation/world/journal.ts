import type { Principal } from '#shared/auth/authenticate.ts';
import type { DeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import type { toNoticeMessage } from '#shared/contract/messages/notice-message.ts';
import type { BulkReplay, BulkReplayKey } from '#shared/domain/bulk-replay.ts';
import type { Delivery, DeliveryKey } from '#shared/domain/delivery.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { KeyedRequest } from '#shared/domain/request-key.ts';
import type { FaultKind } from './faults.ts';
import type { Invocation, Outcome } from './invocation.ts';
import type { QueueName } from './script.ts';

/** A request as its receiver got it. */
export type Post = {
  /** When the receiver had it, and when its first byte left; true time. */
  readonly at: number;
  readonly beganAt: number;
  readonly invocation: Invocation;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `lost`: its kept connection ended without a response. `acknowledged`: a 2xx head came in time. */
  readonly end: 'acknowledged' | 'other' | 'lost';
};

/** What a receiver let a function wait for: until its response ended. */
export type Wait = {
  readonly invocation: Invocation;
  readonly webhookId: string;
  readonly endedAt: number;
  readonly milliseconds: number;
  /** Whether it was for a response; otherwise it was for a connection. */
  readonly isForResponse: boolean;
};

/** When something happened, by true time, and the function that did it. */
type Happened = { readonly at: number; readonly invocation: Invocation | null };

/** An attempt that was claimed. `delivery` is its state after the claim. */
export type Claim = Happened & { readonly delivery: Delivery };

/** A claim as the function requested it, identified by its token. */
export type ClaimAsked = {
  /** The time of the request by the clock of the function, and the milliseconds that the function had left. */
  readonly at: number;
  readonly timeLeft: number;
  /** True time of the last response to a request for it; `null` until then. */
  answeredAt: number | null;
};

/** The end of an attempt as it was stored. */
type Recorded = Happened & { readonly before: Delivery; readonly after: Delivery };

type FanOutStored = Happened & {
  readonly customerId: string;
  readonly subjectId: string;
  readonly fanOut: FanOut;
};

/** A call of the API by a customer, and its response, if there is one. */
export type ApiCall = {
  readonly startedAt: number;
  readonly customerId: string;
  /** Whether the requested record belongs to another customer. */
  readonly stranger: boolean;
  /** The request that all calls with its key make. */
  readonly key: KeyedRequest | null;
  answeredAt: number | null;
  /** Whether the response was that of an earlier call with the key. */
  isReplayed: boolean;
} & (
  | { readonly do: 'register'; readonly url: string; outcome: Outcome<Registered> | null }
  | { readonly do: 'delete'; readonly webhookId: string; outcome: Outcome<void> | null }
  | { readonly do: 'rotate'; readonly webhookId: string; outcome: Outcome<Rotated> | null }
  | { readonly do: 'replay'; readonly source: DeliveryKey; outcome: Outcome<Delivery> | null }
  | { readonly do: 'replay_all'; readonly webhookId: string; outcome: Outcome<BulkReplay> | null }
  | { readonly do: 'give'; outcome: Outcome<Credential | null> | null }
  | { readonly do: 'revoke'; readonly id: string; outcome: Outcome<void> | null }
  | { readonly do: 'sign_in'; readonly credential: Credential; outcome: Outcome<Principal> | null }
  | { readonly do: 'cancel'; readonly job: BulkReplayKey; outcome: Outcome<BulkReplay> | null }
);

/** What an operator made for somebody. `endsAt`: `null` for a connection. */
export type Credential = {
  readonly by: 'link' | 'token';
  readonly id: string;
  readonly customerId: string;
  /** What a request carries. */
  readonly bearer: string;
  readonly endsAt: number | null;
};

/** A deletion of a customer: when it first began to close the customer, and what was closed when. */
export type Closing = {
  readonly beganAt: number;
  /** Since when nobody acts for the customer, and its endpoints are gone. */
  closedAt: number;
  /** Whether the deletion has ended. */
  isDone: boolean;
};

type Registered = {
  readonly endpoint: { readonly id: string; readonly status: string };
  readonly secret: string;
  readonly handshake: Delivery;
};
type Rotated = { readonly secret: string; readonly overlapEnd: number };

/** A promise that was broken. */
export type Violation = { readonly promise: string; readonly detail: string };

/** Everything that customers, receivers and the stores observed in a run. */
export class Journal {
  readonly posts: Post[] = [];
  /** When functions began to connect to receivers; true time. */
  readonly connections: { readonly at: number; readonly url: string }[] = [];
  readonly waits: Wait[] = [];
  /** Replays as they were stored, with the status of their source at that time. */
  readonly replays: {
    readonly replay: Delivery;
    readonly sourceStatus: string;
    readonly at: number;
    readonly invocation: Invocation | null;
  }[] = [];
  /** Bulk replays as they began, with all deliveries of that time. */
  readonly bulkReplays: {
    readonly at: number;
    readonly job: BulkReplay;
    readonly deliveries: readonly Delivery[];
  }[] = [];
  readonly claims: Claim[] = [];
  /** By their tokens. */
  readonly claimsAsked = new Map<string, ClaimAsked>();
  /** Claims that were given back. `delivery` is its state before that. */
  readonly released: Claim[] = [];
  /** Tokens of the claims that functions tried to give back, with or without success. */
  readonly releasesAsked = new Set<string>();
  /** Tokens of the claims for which functions had an outcome to record. */
  readonly recordsAsked = new Set<string>();
  readonly recorded: Recorded[] = [];
  readonly fanOuts: FanOutStored[] = [];
  readonly calls: ApiCall[] = [];
  readonly credentials: Credential[] = [];
  readonly closings = new Map<string, Closing>();
  /** Occurrences that the Run engine reported. */
  readonly emitted: { readonly customerId: string; readonly subjectId: string }[] = [];
  /** Deliveries that ended before the run. */
  readonly endedBefore = new Set<string>();
  /** Messages that no function can process. */
  readonly garbage: { readonly queue: QueueName; readonly body: string }[] = [];
  /** Well-formed messages about deliveries that never existed. */
  readonly ghosts: DeliveryMessage[] = [];
  /** Messages that functions returned to their queues, and for how long they were hidden there. */
  readonly returned: (Happened & { readonly body: string; readonly milliseconds: number })[] = [];
  /** Messages that a delivery queue accepted and lost. */
  readonly vanished: string[] = [];
  /** Notices that the operator got. */
  readonly notices: ReturnType<typeof toNoticeMessage>[] = [];
  readonly violations: Violation[] = [];
  readonly faults: FaultKind[] = [];
  outages = 0;
  powerCuts = 0;
  /** The largest clock error, in milliseconds. */
  largestSkew = 0;
}

import type { DeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import type { Delivery, DeliveryKey } from '#shared/domain/delivery.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { FaultKind } from './faults.ts';
import type { Invocation, Outcome } from './invocation.ts';

/** A request as its receiver got it. */
export type Post = {
  /** When the receiver had it, and when its first byte left; true time. */
  readonly at: number;
  readonly beganAt: number;
  readonly invocation: Invocation;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether a 2xx head was on its way early enough. */
  readonly acknowledged: boolean;
};

/** An attempt that was taken. `delivery` is what it was from then on. */
export type Claim = {
  readonly at: number;
  readonly invocation: Invocation | null;
  readonly delivery: Delivery;
};

/** What a function knew of a claim that it asked for; the token names it. */
export type ClaimAsked = {
  readonly token: string;
  /** When it asked, by its own clock, and the milliseconds that it had left then. */
  readonly at: number;
  readonly timeLeft: number;
};

/** A claim that was given back. `delivery` is what it was until then. */
export type Released = Claim;

/** The end of an attempt as it was stored. */
export type Recorded = {
  readonly at: number;
  readonly invocation: Invocation | null;
  readonly before: Delivery;
  readonly after: Delivery;
};

export type FanOutStored = {
  readonly at: number;
  readonly invocation: Invocation | null;
  readonly customerId: string;
  readonly subjectId: string;
  readonly fanOut: FanOut;
};

/** What a customer asked the API, and what came back, if anything did. */
export type ApiCall = {
  readonly startedAt: number;
  readonly customerId: string;
  /** Whether the thing that is asked for belongs to somebody else. */
  readonly stranger: boolean;
  answeredAt: number | null;
} & (
  | { readonly do: 'register'; readonly url: string; outcome: Outcome<Registered> | null }
  | { readonly do: 'delete'; readonly webhookId: string; outcome: Outcome<void> | null }
  | { readonly do: 'rotate'; readonly webhookId: string; outcome: Outcome<Rotated> | null }
  | { readonly do: 'replay'; readonly source: DeliveryKey; outcome: Outcome<Delivery> | null }
);

type Registered = {
  readonly endpoint: { readonly id: string; readonly status: string };
  readonly secret: string;
  readonly handshake: Delivery;
};
type Rotated = { readonly secret: string; readonly overlapEnd: number };

/** What the Run engine said. */
export type Emitted = {
  readonly customerId: string;
  readonly type: 'run.completed' | 'tracker.changed';
  readonly subjectId: string;
};

/** A promise that was broken. */
export type Violation = { readonly promise: string; readonly detail: string };

/** All that was seen in a run, by those whom the service makes promises to and on the disks of its stores. */
export class Journal {
  readonly posts: Post[] = [];
  /** Replays as they were stored, with what was true of their source then. */
  readonly replays: { readonly replay: Delivery; readonly sourceStatus: string }[] = [];
  readonly claims: Claim[] = [];
  readonly claimsAsked: ClaimAsked[] = [];
  readonly released: Released[] = [];
  /** Tokens of the claims that functions asked to release, released or not. */
  readonly releasesAsked = new Set<string>();
  /** Tokens of the claims for which functions had an outcome to record. */
  readonly recordsAsked = new Set<string>();
  readonly recorded: Recorded[] = [];
  readonly fanOuts: FanOutStored[] = [];
  readonly calls: ApiCall[] = [];
  readonly emitted: Emitted[] = [];
  /** Messages that no function can make anything of. */
  readonly garbage: { readonly queue: 'intake' | 'delivery'; readonly body: string }[] = [];
  /** Well-formed messages about deliveries that never were. */
  readonly ghosts: DeliveryMessage[] = [];
  /** Messages that the delivery queue took and lost. */
  readonly vanished: string[] = [];
  readonly violations: Violation[] = [];
  readonly faults: FaultKind[] = [];
  outages = 0;
  powerCuts = 0;
  /** Milliseconds by which a clock was wrong, at most. */
  largestSkew = 0;
}

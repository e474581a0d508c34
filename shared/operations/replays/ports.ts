import type {
  BulkReplay,
  BulkReplayKey,
  ReplayCancelReason,
  ReplayProgress,
  ReplaySelection,
  ReplayStep,
} from '#shared/domain/bulk-replay.ts';
import type { ReplayableCount } from '#shared/domain/bulk-replay-plan.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import type { EndedReplays } from '#shared/domain/replay-outcomes.ts';
import type { PageRequest, Rows } from '#shared/operations/paging.ts';

/** Stores a running bulk replay unless its endpoint has one. @returns `false` when it has */
export type StoreBulkReplay = (replay: BulkReplay) => Promise<boolean>;

/** The id of the bulk replay of an endpoint that is running; strongly consistent. */
export type ReadRunningReplay = (customerId: string, webhookId: string) => Promise<string | null>;

/** Strongly consistent. */
export type ReadBulkReplay = (key: BulkReplayKey) => Promise<BulkReplay | null>;

/** A page of the bulk replays of an endpoint, newest first; strongly consistent. */
export type ReadBulkReplays = (
  customerId: string,
  webhookId: string,
  page: PageRequest,
) => Promise<Rows<BulkReplay>>;

/**
 * Claims the step that a running bulk replay runs next, unless another worker holds it.
 *
 * @param claim epoch milliseconds
 */
export type ClaimReplayStep = (
  step: ReplayStep,
  claim: { readonly now: number; readonly leaseUntil: number },
) => Promise<StepClaim>;

/**
 * The job as it is stored, `null` when there is none. `heldUntil`: the end of the last claim of its current step, epoch
 * milliseconds; `null` when nobody has claimed it.
 */
export type StepClaim =
  | { readonly claimed: true; readonly job: BulkReplay }
  | { readonly claimed: false; readonly job: BulkReplay | null; readonly heldUntil: number | null };

/**
 * Records a step and makes the next one the current. A job that was cancelled meanwhile is recorded too.
 *
 * @returns `false` when another worker recorded the step
 */
export type AdvanceReplay = (step: ReplayStep, progress: ReplayProgress) => Promise<boolean>;

/** How a bulk replay ends. `at`: epoch milliseconds; `progress`: what its last step did. */
export type ReplayEnd = { readonly at: number } & (
  | { readonly status: 'completed'; readonly progress: ReplayProgress }
  | { readonly status: 'cancelled'; readonly reason: ReplayCancelReason }
);

/**
 * Ends a running bulk replay and lets its endpoint have another one.
 *
 * @returns the job as it is stored afterwards, with this end or an earlier one; `null` when there is none
 */
export type EndBulkReplay = (
  key: BulkReplayKey,
  end: ReplayEnd,
) => Promise<{ readonly ended: boolean; readonly job: BulkReplay | null }>;

/**
 * Stores the tallies of a step, which may be stored already, unless the job is gone.
 *
 * @param at epoch milliseconds; decides when they expire
 */
export type OpenTallies = (job: BulkReplayKey, tallies: readonly string[], at: number) => Promise<void>;

/** How many replays of a job have ended, and how. Those of the last second may be missing. */
export type ReadEndedReplays = (job: BulkReplayKey) => Promise<EndedReplays>;

/** Puts the message of a step on the queue of bulk replays. @param delaySeconds at most 900 */
export type SendReplayStep = (step: ReplayStep, delaySeconds: number) => Promise<void>;

/** Deliveries that bulk replays read in a second: 63 read units, which is what one credential can with filtered lists. */
export const readsPerSecond = 500;

export type ReplayablePage = {
  /** Selected deliveries in the order of their ids, whatever replays their events have. */
  readonly deliveries: readonly Delivery[];
  /**
   * The id after which the rest begins; `null` when there is none. There can be a rest after few deliveries, or none,
   * because each call reads a bounded number of deliveries.
   */
  readonly next: string | null;
};

/**
 * Reads the deliveries that a job selects, in the order of their ids. The newest writes may be missing.
 *
 * @param page `after`: `null` for the oldest; `limit`: the deliveries that the caller needs
 */
export type ReadReplayable = (
  endpoint: DeliveryHistory,
  job: Pick<BulkReplay, 'selection'>,
  page: PageRequest,
) => Promise<ReplayablePage>;

/** A replay of an event at an endpoint. */
export type ReplayState = Pick<Delivery, 'id' | 'status' | 'replayOf'>;

/** Reads at most 100 replays; those that are gone are left out. A status may be a second old. */
export type ReadReplayStates = (
  endpoint: Pick<DeliveryHistory, 'customerId' | 'id'>,
  ids: readonly string[],
) => Promise<readonly ReplayState[]>;

/** The ids of all replays of an event to an endpoint; strongly consistent. Releases up to 0.2.0 stored none. */
export type ListEventReplays = (
  endpoint: Pick<DeliveryHistory, 'customerId' | 'id'>,
  eventId: string,
) => Promise<readonly string[]>;

/** Whether an event was sent to an endpoint itself, not only as a replay; strongly consistent for an ordinary endpoint. */
export type HasFirstDelivery = (endpoint: DeliveryHistory, eventId: string) => Promise<boolean>;

/** A selected delivery. */
export type Candidate = Pick<Delivery, 'id' | 'replayOf' | 'replayedBy'> & { readonly eventId: string };

/** Chooses the deliveries of which the event is sent. `reads`: what that has cost, in deliveries that a query reads. */
export type EventChooser = {
  readonly reads: number;
  readonly choose: (candidates: readonly Candidate[]) => Promise<ReadonlySet<string>>;
};

/** What a count has done so far. */
export type CountProgress = Pick<ReplayableCount, 'replayable' | 'replayedEarlier'> & {
  /** Deliveries that it read, selected or not, and what it read for its choice: they decide what it costs. */
  readonly read: number;
};

/** How far a count reads. */
export type CountLimits = {
  /** Maximum number of deliveries that one round reads; left out: as many as the table returns at once. */
  readonly roundReads?: number;
  readonly events: EventChooser;
  /** Called before each round of reads; once it returns `false`, the count ends incomplete. */
  readonly mayContinue: (progress: CountProgress) => boolean | Promise<boolean>;
};

/** Counts selected deliveries. The newest writes may be missing. */
export type CountReplayable = (
  endpoint: DeliveryHistory,
  selection: ReplaySelection,
  limits: CountLimits,
) => Promise<ReplayableCount>;

import type {
  BulkReplay,
  BulkReplayKey,
  ReplayCancelReason,
  ReplayProgress,
  ReplayStep,
} from '#shared/domain/bulk-replay.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';

/** Stores a running bulk replay unless its endpoint has one. @returns `false` when it has */
export type StoreBulkReplay = (replay: BulkReplay) => Promise<boolean>;

/** The id of the bulk replay of an endpoint that is running; strongly consistent. */
export type ReadRunningReplay = (customerId: string, webhookId: string) => Promise<string | null>;

/** Strongly consistent. */
export type ReadBulkReplay = (key: BulkReplayKey) => Promise<BulkReplay | null>;

/**
 * A page of the bulk replays of an endpoint, newest first; strongly consistent.
 *
 * @returns `next`: the position after which the next page begins; `null` when no rows follow
 */
export type ReadBulkReplays = (
  customerId: string,
  webhookId: string,
  page: { readonly after: string | null; readonly limit: number },
) => Promise<{ readonly rows: readonly BulkReplay[]; readonly next: string | null }>;

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

/** Puts the message of a step on the queue of bulk replays. @param delaySeconds at most 900 */
export type SendReplayStep = (step: ReplayStep, delaySeconds: number) => Promise<void>;

/** An attempt that its queue holds back for some seconds. */
export type DelayedAttempt = DueAttempt & { readonly delaySeconds: number };

/** Puts attempts on the queue of one lane. @returns the attempts that the queue refused */
export type EnqueueDelayed = (due: readonly DelayedAttempt[]) => Promise<readonly DelayedAttempt[]>;

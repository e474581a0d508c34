import { attemptOutcomes } from './attempt.ts';
import type { Delivery } from './delivery.ts';
import { deliveryId, digest } from './derived-id.ts';
import { exampleTypes } from './event.ts';
import { firstIdAt, idPrefixes, idTimeLength, makeId } from './ids.ts';
import { responseClasses, responseClassOf } from './response-class.ts';

/** Statuses of the deliveries that a bulk replay can take: those of finished deliveries. */
export const replayableStatuses = ['failed', 'delivered'] as const;
export type ReplayableStatus = (typeof replayableStatuses)[number];

/** Types of the events that a bulk replay can take: all but test events. */
export const replayableTypes = exampleTypes;

/** How a last attempt went, to choose deliveries by: the class of its response, or its outcome without a usable one. */
export const replayableResponses = [
  ...responseClasses,
  ...attemptOutcomes.filter((outcome) => outcome !== 'acknowledged' && outcome !== 'rejected'),
] as const;
export type ReplayableResponse = (typeof replayableResponses)[number];

/**
 * The deliveries of an endpoint that a bulk replay takes. Times are epoch milliseconds: `createdAfter` is included,
 * `createdBefore` is not. Of an event, one delivery is taken at most. Test events are never taken.
 */
export type ReplaySelection = {
  readonly status: ReplayableStatus;
  readonly createdAfter: number;
  readonly createdBefore: number;
  /** The endpoint whose deliveries are taken, deleted or not. Left out: the one that they are sent to. */
  readonly sourceWebhookId?: string | undefined;
  /** Only events of this type. */
  readonly eventType?: string | undefined;
  /** Only deliveries whose last attempt went like this. */
  readonly response?: ReplayableResponse | undefined;
  /** Only these deliveries: at most `limits.replayedDeliveries`, each once. */
  readonly deliveryIds?: readonly string[] | undefined;
};

/** Who asked for a bulk replay. A credential's id and what an operator says are for the log, never for the customer. */
export type ReplayRequester =
  | { readonly by: 'customer'; readonly credentialId: string }
  | {
      readonly by: 'operator';
      /** Who it was and why, in the operator's words; `null` when unknown. */
      readonly note: string | null;
    };

export const bulkReplayStatuses = ['running', 'completed', 'cancelled'] as const;
export type BulkReplayStatus = (typeof bulkReplayStatuses)[number];

/** `requested`: somebody cancelled it. `webhook_not_active`: its endpoint was deleted. */
export type ReplayCancelReason = 'requested' | 'webhook_not_active';

/** A job that replays the selected deliveries of one endpoint, step by step. Times are epoch milliseconds. */
export type BulkReplay = {
  readonly id: string;
  readonly customerId: string;
  readonly webhookId: string;
  readonly selection: ReplaySelection;
  /** Replays per second. */
  readonly rate: number;
  readonly requestedBy: ReplayRequester;
  readonly status: BulkReplayStatus;
  /** A `ReplayCancelReason`, or a reason of another release. */
  readonly cancelReason: string | null;
  /** Deliveries that this job has replayed. */
  readonly replayed: number;
  /** Selected deliveries that this job did not replay, because their event was replayed. */
  readonly skipped: number;
  /** Number of the step that runs next, from 1. */
  readonly step: number;
  /** All selected deliveries up to this id are done; `null` before the first step. */
  readonly cursor: string | null;
  readonly endedAt: number | null;
  /** Whether the ends of its replays are counted. */
  readonly isTallied: boolean;
};

export type BulkReplayKey = Pick<BulkReplay, 'customerId' | 'webhookId' | 'id'>;

/**
 * What starts a bulk replay. Times are epoch milliseconds. `createdAfter`: `null` for the oldest of `deliveryIds`;
 * `createdBefore`: `null` for the time of the request.
 */
export type ReplayRequest = Pick<BulkReplay, 'customerId' | 'webhookId' | 'rate' | 'requestedBy'> & {
  readonly selection: Omit<ReplaySelection, 'createdAfter' | 'createdBefore'> & {
    readonly createdAfter: number | null;
    readonly createdBefore: number | null;
  };
};

/** One step of a bulk replay; a message carries it to a worker. */
export type ReplayStep = { readonly key: BulkReplayKey; readonly step: number };

/** What one step did. The counts are totals of the job. */
export type ReplayProgress = Pick<BulkReplay, 'replayed' | 'skipped' | 'cursor'>;

/** Seconds for which the replays of one step are spread. */
export const stepSeconds = 10;

/** Milliseconds after its end for which a bulk replay can be read. */
const bulkReplayLife = 90 * 24 * 60 * 60_000;

/** @param createdAt epoch milliseconds @param entropy at least 10 random bytes */
export function newBulkReplay(
  given: Pick<BulkReplay, 'customerId' | 'webhookId' | 'selection' | 'rate' | 'requestedBy'>,
  createdAt: number,
  entropy: Uint8Array,
): BulkReplay {
  return {
    ...given,
    id: makeId('bulkReplay', createdAt, entropy),
    status: 'running',
    cancelReason: null,
    replayed: 0,
    skipped: 0,
    step: 1,
    cursor: null,
    endedAt: null,
    isTallied: true,
  };
}

/** When an ended bulk replay expires, epoch seconds. @param endedAt epoch milliseconds */
export function bulkReplayExpiry(endedAt: number): number {
  return Math.ceil((endedAt + bulkReplayLife) / 1000);
}

/** What decides whether a delivery is selected. */
export type Selectable = Pick<Delivery, 'id' | 'status'> & {
  readonly event: Pick<Delivery['event'], 'type'>;
  readonly log: readonly Pick<Delivery['log'][number], 'outcome' | 'responseStatus'>[];
};

/** A selected delivery. */
export type Candidate = Pick<Delivery, 'id' | 'replayOf' | 'replayedBy'> & { readonly eventId: string };

/** Chooses the deliveries of which the event is sent. `reads`: what that has cost, in deliveries that a query reads. */
export type EventChooser = {
  readonly reads: number;
  readonly choose: (candidates: readonly Candidate[]) => Promise<ReadonlySet<string>>;
};

/** Whether a delivery belongs to a selection, apart from earlier replays. Its id begins with the time of its creation. */
export function isSelected({ id, status, event, log }: Selectable, selection: ReplaySelection): boolean {
  const { eventType = event.type, response, deliveryIds } = selection;
  const isInTime =
    id >= firstIdAt('delivery', selection.createdAfter) && id < firstIdAt('delivery', selection.createdBefore);
  return (
    isInTime &&
    status === selection.status &&
    event.type !== 'webhook.test' &&
    event.type === eventType &&
    (response === undefined || log.at(-1)?.outcome === response || responseClassOf(log) === response) &&
    (deliveryIds === undefined || deliveryIds.includes(id))
  );
}

/**
 * The id of a bulk replay's replay of a delivery. All of it but the time is derived from the two, so that a worker that
 * repeats a step recognises its own replays.
 *
 * @param createdAt epoch milliseconds, not before the end of the job's selection
 * @param partitions number of partition keys for the endpoint's new deliveries
 */
export function bulkReplayedId(jobId: string, originalId: string, createdAt: number, partitions: number): string {
  return deliveryId(createdAt, digest(jobId, originalId), partitions);
}

/** Whether a replay of a delivery was made by a bulk replay. */
export function isReplayBy(jobId: string, originalId: string, replayId: string): boolean {
  return entropyOf(replayId) === entropyOf(bulkReplayedId(jobId, originalId, 0, 1));
}

/** The part of a delivery's id after its time and its partition. */
function entropyOf(id: string): string {
  return id.slice(idPrefixes.delivery.length + idTimeLength + 1);
}

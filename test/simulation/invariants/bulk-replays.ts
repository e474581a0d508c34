import { tallyKey } from '#shared/aws/table/keys.ts';
import { fromTallyItem } from '#shared/aws/table/replays/tally-item.ts';
import { replayStep } from '#shared/contract/messages/replay-message.ts';
import { type BulkReplay, isReplayBy, isSelected } from '#shared/domain/bulk-replay.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { idTime } from '#shared/domain/ids.ts';
import { hour } from '../../support/values/builders.ts';
import type { World } from '../world/world.ts';
import { bodiesIn } from './liveness.ts';
import type { Promises } from './promises.ts';
import { answered, type Seen } from './seen.ts';

/** The most milliseconds by which an eventually consistent read lags. */
const staleness = 60_000;

/** Check it while no function works. */
export const movingPromises = {
  /** It has a message or a dead letter about its step. */
  *everyRunningJobWillGoOn({ queues, table, journal }) {
    const awaited = bodiesIn(queues.replay).flatMap((body) => stepIn(body) ?? []);
    for (const job of table.bulkReplays.values()) {
      if (job.status !== 'running' || journal.closings.has(job.customerId)) continue;
      if (!awaited.some(({ key, step }) => key.id === job.id && step === job.step))
        yield `${job.id} is at step ${job.step}`;
    }
  },
} satisfies Promises<World>;

function stepIn(body: string) {
  return body.endsWith('}') ? replayStep.safeParse(JSON.parse(body)).data : undefined;
}

/** The job that made a replay; `undefined` for one that a customer asked for by itself. */
export function jobOf(jobs: readonly BulkReplay[], source: string, replay: string): BulkReplay | undefined {
  return jobs.find(({ id }) => isReplayBy(id, source, replay));
}

/** The replays that jobs made. */
function* replaysOfJobs({ deliveries, journal }: Seen) {
  const jobs = journal.bulkReplays.map(({ job }) => job);
  const sources = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  for (const replay of deliveries) {
    const { id, replayOf } = replay;
    const job = replayOf === null ? undefined : jobOf(jobs, replayOf, id);
    if (replayOf !== null && job !== undefined) yield { job, id, replay, replayOf, source: sources.get(replayOf) };
  }
}

/** The endpoint whose deliveries a job sends. */
const sourceIdOf = ({ webhookId, selection }: BulkReplay): string => selection.sourceWebhookId ?? webhookId;

/** Whether a delivery failed for good by a true time. */
function hasFailedBy({ journal }: Seen, id: string, time: number): boolean {
  const end = journal.recorded.find(({ after }) => after.id === id && after.endedAt !== null);
  return end?.after.status === 'failed' && end.at <= time;
}

/**
 * Whether a replay is of the job, or made it leave out the event: one that was delivered, or was pending meanwhile. An event
 * of another endpoint is also left out if this one was sent it itself.
 */
function isSentFor({ id, replayOf, status, endedAt }: Delivery, job: BulkReplay, beganAt: number): boolean {
  if (replayOf === null) return sourceIdOf(job) !== job.webhookId;
  return status !== 'failed' || isReplayBy(job.id, replayOf, id) || (endedAt ?? beganAt) >= beganAt;
}

export const bulkReplayPromises = {
  *everyJobEnds({ world }) {
    for (const job of world.table.bulkReplays.values()) if (job.status === 'running') yield JSON.stringify(job);
    for (const named of world.table.running.values())
      yield `${named} has ended, and its endpoint can have no other job`;
  },

  *aJobSendsAnEventAtMostOnce(seen) {
    const sent = new Map<string, string>();
    for (const { job, id, replay } of replaysOfJobs(seen)) {
      const name = `${job.id} ${seen.pairOf(replay)}`;
      const other = sent.get(name);
      if (other !== undefined) yield `${name} was sent as ${other} and as ${id}`;
      sent.set(name, id);
    }
  },

  /** Replays that were stored before the step began. Where deliveries expire, nothing may be left of them. */
  *noJobSendsAnEventOfWhichAReplayIsPendingOrDelivered(seen) {
    const { journal, world } = seen;
    if (world.script.retentionDays != null) return;
    const jobs = journal.bulkReplays.map(({ job }) => job);
    for (const { replay, at, invocation } of journal.replays) {
      const job = jobOf(jobs, replay.replayOf ?? '', replay.id);
      if (job === undefined || invocation === null) continue;
      const earlier = journal.replays.filter(
        (other) => other.at < invocation.startedAt && seen.pairOf(other.replay) === seen.pairOf(replay),
      );
      const open = earlier.find((other) => !hasFailedBy(seen, other.replay.id, at));
      if (open !== undefined) yield `${job.id} sent ${open.replay.id} again as ${replay.id}`;
    }
  },

  /** First deliveries that were stored before the step began, and have not expired. */
  *noEndpointIsSentAgainByAnotherOneWhatItWasSentItself(seen) {
    const { journal, deliveries, world } = seen;
    if (world.script.retentionDays != null) return;
    const firsts = new Map(
      deliveries.filter(({ replayOf }) => replayOf === null).map((each) => [seen.pairOf(each), each]),
    );
    for (const { replay, invocation } of journal.replays) {
      const first = firsts.get(seen.pairOf(replay));
      if (replay.sourceWebhookId === null || first === undefined || invocation === null) continue;
      if (idTime(first.id) + journal.largestSkew < invocation.startedAt)
        yield `${replay.id} repeats ${replay.replayOf}, and ${first.id} has its event`;
    }
  },

  *aBulkReplayRepeatsOnlyWhatWasSelected(seen) {
    for (const { job, replay, source } of replaysOfJobs(seen)) {
      if (source === undefined) continue;
      const isOfSource = source.webhookId === sourceIdOf(job);
      if (!isSelected(source, job.selection) || !isOfSource || replay.webhookId !== job.webhookId)
        yield `${job.id} replayed ${source.id}, which is ${source.status}`;
    }
  },

  /** A read that lags may leave out what changed within its lag. */
  *aCompletedJobLeavesNothingOut(seen) {
    const { world, journal, deliveries } = seen;
    const kept = (world.script.retentionDays ?? Number.POSITIVE_INFINITY) * 24 * hour;
    const lag = journal.faults.includes('stale') ? staleness : 0;
    for (const { at, job, deliveries: known } of journal.bulkReplays) {
      const end = world.table.bulkReplay(job);
      if (end?.status !== 'completed') continue;
      const expiredBefore = (end.endedAt ?? at) + journal.largestSkew - kept;
      const sent = new Set(
        deliveries.filter((each) => isSentFor(each, job, at - journal.largestSkew)).map(seen.pairOf),
      );
      for (const delivery of known) {
        const { id, webhookId, endedAt } = delivery;
        const isTaken = webhookId === sourceIdOf(job) && isSelected(delivery, job.selection);
        const isKept = (endedAt ?? at) > expiredBefore && (endedAt ?? at) < at - lag;
        if (isTaken && isKept && !sent.has(seen.pairOf({ ...delivery, webhookId: job.webhookId })))
          yield `${job.id} is completed, and the event of ${id} has no replay`;
      }
    }
  },

  /** A step that runs while its job ends is finished. */
  *noStepThatBeginsAfterTheEndOfItsJobReplays({ journal }) {
    for (const { job, answeredAt } of answered(journal.calls, 'cancel')) {
      for (const { replay, invocation } of journal.replays) {
        if ((invocation?.startedAt ?? 0) > answeredAt && isReplayBy(job.id, replay.replayOf ?? '', replay.id))
          yield `${job.id} ended by ${answeredAt}, and ${replay.id} was stored later`;
      }
    }
  },

  /**
   * Whatever fails. Only where the queue lost a message, the end that it would have counted may be missing. What has
   * expired cannot be compared.
   */
  *aJobCountsHowItsReplaysEnded({ world, deliveries, journal }) {
    if (world.script.retentionDays != null) return;
    const rows = world.table.rows();
    for (const { job } of journal.bulkReplays) {
      const made = deliveries.filter(({ id, replayOf }) => isReplayBy(job.id, replayOf ?? '', id));
      const { sk } = tallyKey(job.customerId, job.webhookId, `${job.id}#`);
      const tallies = rows.filter((row) => String(row.sk).startsWith(sk)).map((row) => fromTallyItem(row));
      for (const status of ['delivered', 'failed'] as const) {
        const ended = made.filter((delivery) => delivery.status === status).length;
        const counted = tallies.reduce((sum, tally) => sum + tally[status], 0);
        const isLost = counted < ended && ended - counted <= journal.vanished.length;
        if (ended !== counted && !isLost) yield `${job.id} counts ${counted} ${status}, and ${ended} are`;
      }
    }
  },

  /** After faults, a step that was repeated may count less than it did. */
  *aJobCountsItsReplaysWhenNothingFails({ world, deliveries, journal, isClean }) {
    if (!isClean) return;
    for (const { job } of journal.bulkReplays) {
      const { status, replayed } = world.table.bulkReplay(job) ?? job;
      const made = deliveries.filter(({ id, replayOf }) => replayOf !== null && isReplayBy(job.id, replayOf, id));
      if (status === 'completed' && made.length !== replayed)
        yield `${job.id} made ${made.length} replays and counts ${replayed}`;
    }
  },
} satisfies Promises<Seen>;

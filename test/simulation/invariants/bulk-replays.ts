import { replayStep } from '#shared/contract/messages/replay-message.ts';
import { type BulkReplay, isReplayBy, isSelected } from '#shared/domain/bulk-replay.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { World } from '../world/world.ts';
import type { Seen } from './seen.ts';
import type { Verdict } from './verdict.ts';

/** The most milliseconds by which an eventually consistent read lags. */
const staleness = 60_000;

/**
 * Check it while no function works: a job that runs has a message or a dead letter about its step.
 */
export function everyRunningJobWillGoOn({ world }: { readonly world: World }): Verdict {
  const { queues, table } = world;
  const jobs = [...table.bulkReplays.values()]
    .map(({ job }) => job)
    .filter(({ status, customerId }) => status === 'running' && !world.journal.closings.has(customerId));
  if (jobs.length === 0) return null;
  const bodies = [...queues.replay.bodies, ...queues.replay.deadLetters.map(({ body }) => body)];
  const awaited = bodies.flatMap((body) => stepIn(body) ?? []);
  const stuck = jobs.find((job) => !awaited.some(({ key, step }) => key.id === job.id && step === job.step));
  return stuck === undefined ? null : `${stuck.id} is at step ${stuck.step}`;
}

function stepIn(body: string) {
  return body.endsWith('}') ? replayStep.safeParse(JSON.parse(body)).data : undefined;
}

function everyJobEnds({ world }: Seen): Verdict {
  const stuck = [...world.table.bulkReplays.values()].find(({ job }) => job.status === 'running');
  if (stuck !== undefined) return JSON.stringify(stuck);
  const [named] = world.table.running.values();
  return named === undefined ? null : `${named} has ended, and its endpoint can have no other job`;
}

/** By jobs together: a delivery that has a replay is taken by none. */
function aDeliveryHasAtMostOneReplayOfBulkReplays({ deliveries, journal }: Seen): Verdict {
  const jobs = journal.bulkReplays.map(({ job }) => job);
  const replayed = new Map<string, string>();
  for (const { id, replayOf } of deliveries) {
    if (replayOf === null || jobOf(jobs, replayOf, id) === undefined) continue;
    const other = replayed.get(replayOf);
    if (other !== undefined) return `${replayOf} was replayed as ${other} and as ${id}`;
    replayed.set(replayOf, id);
  }
  return null;
}

function aJobNeverTakesAReplayOfItsOwn({ deliveries, journal }: Seen): Verdict {
  const jobs = journal.bulkReplays.map(({ job }) => job);
  const sources = new Map(deliveries.map((delivery) => [delivery.id, delivery.replayOf]));
  for (const { id, replayOf } of deliveries) {
    const before = replayOf === null ? null : (sources.get(replayOf) ?? null);
    if (replayOf === null || before === null) continue;
    const job = jobOf(jobs, replayOf, id);
    if (job !== undefined && isReplayBy(job.id, before, replayOf))
      return `${job.id} replayed ${before} as ${replayOf}, and that as ${id}`;
  }
  return null;
}

function aBulkReplayRepeatsOnlyWhatWasSelected({ deliveries, journal }: Seen): Verdict {
  const jobs = journal.bulkReplays.map(({ job }) => job);
  const sources = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  for (const { id, webhookId, replayOf } of deliveries) {
    const job = replayOf === null ? undefined : jobOf(jobs, replayOf, id);
    const source = sources.get(replayOf ?? '');
    if (job === undefined || source === undefined) continue;
    if (!isSelected(source, job.selection) || webhookId !== job.webhookId)
      return `${job.id} replayed ${source.id}, which is ${source.status}`;
  }
  return null;
}

/** A read that lags may leave out what changed within its lag. */
function aCompletedJobLeavesNothingOut({ world, journal, deliveries }: Seen): Verdict {
  const replayed = new Set(deliveries.flatMap(({ id, replayedBy }) => (replayedBy === null ? [] : [id])));
  const kept = (world.script.retentionDays ?? Number.POSITIVE_INFINITY) * 24 * 3_600_000;
  const lag = journal.faults.includes('stale') ? staleness : 0;
  for (const { at, job, deliveries: known } of journal.bulkReplays) {
    const end = world.table.bulkReplay(job)?.job;
    if (end?.status !== 'completed') continue;
    const expiredBefore = (end.endedAt ?? at) + journal.largestSkew - kept;
    const left = known.find(
      (delivery) =>
        isOf(delivery, job) &&
        (delivery.endedAt ?? at) > expiredBefore &&
        (delivery.endedAt ?? at) < at - lag &&
        !replayed.has(delivery.id),
    );
    if (left !== undefined) return `${job.id} is completed, and ${left.id} has no replay`;
  }
  return null;
}

function isOf(delivery: Delivery, job: BulkReplay): boolean {
  return delivery.webhookId === job.webhookId && isSelected(delivery, job.selection);
}

/** A step that runs while its job ends is finished. */
function noStepThatBeginsAfterTheEndOfItsJobReplays({ journal }: Seen): Verdict {
  const jobs = journal.bulkReplays.map(({ job }) => job);
  for (const call of journal.calls) {
    if (call.do !== 'cancel' || call.outcome?.ok !== true || call.answeredAt === null) continue;
    const { answeredAt } = call;
    const late = journal.replays.find(
      ({ replay, invocation }) =>
        jobOf(jobs, replay.replayOf ?? '', replay.id)?.id === call.job.id &&
        (invocation?.startedAt ?? 0) > answeredAt,
    );
    if (late !== undefined)
      return `${call.job.id} ended by ${answeredAt}, and ${late.replay.id} was stored later`;
  }
  return null;
}

/** After faults, a step that was repeated may count less than it did. */
function aJobCountsItsReplaysWhenNothingFails({ world, deliveries, journal, isClean }: Seen): Verdict {
  if (!isClean) return null;
  for (const { job } of journal.bulkReplays) {
    const { status, replayed } = world.table.bulkReplay(job)?.job ?? job;
    const made = deliveries.filter(
      ({ id, replayOf }) => replayOf !== null && isReplayBy(job.id, replayOf, id),
    );
    if (status === 'completed' && made.length !== replayed)
      return `${job.id} made ${made.length} replays and counts ${replayed}`;
  }
  return null;
}

/** The job that made a replay; `undefined` for one that a customer asked for by itself. */
export function jobOf(jobs: readonly BulkReplay[], source: string, replay: string): BulkReplay | undefined {
  return jobs.find(({ id }) => isReplayBy(id, source, replay));
}

export const bulkReplayPromises = [
  everyJobEnds,
  aDeliveryHasAtMostOneReplayOfBulkReplays,
  aJobNeverTakesAReplayOfItsOwn,
  aBulkReplayRepeatsOnlyWhatWasSelected,
  aCompletedJobLeavesNothingOut,
  noStepThatBeginsAfterTheEndOfItsJobReplays,
  aJobCountsItsReplaysWhenNothingFails,
];

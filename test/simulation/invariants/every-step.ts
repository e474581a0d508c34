import { isDeepStrictEqual } from 'node:util';
import { limits } from '#shared/contract/limits.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { maxAttempts } from '#shared/domain/retry-plan.ts';
import type { BulkReplayRow, DeliveryRow, MemoryTable } from '../../support/memory/memory-table.ts';
import { mostSetBack } from '../world/invocation.ts';
import { broken, type Verdict } from './verdict.ts';

/** One write of a delivery. */
type Change = { readonly was: Delivery; readonly is: Delivery; readonly dueAt: number | null };

const json = (value: unknown): string => JSON.stringify(value);

function attemptsRiseByOneAndFallOnlyWhenAClaimIsGivenBack({ was, is }: Change): Verdict {
  const rise = is.attempts - was.attempts;
  const isGivenBack = rise === -1 && was.claim !== null && is.claim === null && is.status === 'pending';
  return rise === 0 || rise === 1 || isGivenBack
    ? null
    : `attempts went from ${was.attempts} to ${is.attempts}`;
}

function noFourthAttemptIsClaimed({ is }: Change): Verdict {
  return is.attempts <= maxAttempts ? null : `attempt ${is.attempts} was taken`;
}

/** Except that it names its newest replay. */
function anEndedDeliveryNeverChanges({ was, is }: Change): Verdict {
  const { replayedBy } = is.replayedBy === null ? was : is;
  const hasChanged = was.status !== 'pending' && json({ ...was, replayedBy }) !== json(is);
  return hasChanged ? `${json(was)} became ${json(is)}` : null;
}

function anEndedDeliveryHasNoClaimAndNoWakeUp({ is, dueAt }: Change): Verdict {
  const isAtRest = is.claim === null && is.retryAt === null && dueAt === null;
  return is.status === 'pending' || isAtRest ? null : `${json(is)} is to be woken at ${dueAt}`;
}

function aDeliveryKeepsItsIdentityAndItsBytes({ was, is }: Change): Verdict {
  const isSame =
    was.id === is.id &&
    was.customerId === is.customerId &&
    was.webhookId === is.webhookId &&
    was.replayOf === is.replayOf &&
    was.body === is.body;
  return isSame ? null : `${json(was)} became ${json(is)}`;
}

function theLogOnlyGrowsAndHasOneEntryForEachAttempt({ was, is }: Change): Verdict {
  const grew = is.log.length - was.log.length;
  if (grew === 0 && is.log.length === 0) return null;
  const isKept = was.log.every((entry, index) => isDeepStrictEqual(is.log[index], entry));
  const isGood = isKept && grew >= 0 && grew <= 1 && is.log.length <= is.attempts;
  return isGood ? null : `the log ${json(was.log)} became ${json(is.log)} with ${is.attempts} attempts`;
}

function aRetryIsPlannedOnceFromTheEndOfTheLastAttempt({ was, is }: Change): Verdict {
  if (is.retryAt === was.retryAt || is.retryAt === null) return null;
  const entry = is.log.at(-1);
  if (entry === undefined || is.log.length === was.log.length)
    return `the next attempt was moved from ${was.retryAt} to ${is.retryAt} although none had ended`;
  const wait = is.retryAt - (entry.at + entry.durationMs);
  const planned = (is.attempts === 1 ? 10 : 50) * 60_000;
  return Math.abs(wait - planned) <= 1000 + mostSetBack
    ? null
    : `attempt ${is.attempts} is followed after ${wait} ms`;
}

function anEndedDeliveryHasAnEndTime({ is }: Change): Verdict {
  return (is.status === 'pending') === (is.endedAt === null) ? null : `${is.status}, ended ${is.endedAt}`;
}

const deliveryPromises = [
  attemptsRiseByOneAndFallOnlyWhenAClaimIsGivenBack,
  noFourthAttemptIsClaimed,
  anEndedDeliveryNeverChanges,
  anEndedDeliveryHasNoClaimAndNoWakeUp,
  aDeliveryKeepsItsIdentityAndItsBytes,
  theLogOnlyGrowsAndHasOneEntryForEachAttempt,
  aRetryIsPlannedOnceFromTheEndOfTheLastAttempt,
  anEndedDeliveryHasAnEndTime,
];

/** The endpoints of a customer after a change. */
type Endpoints = { readonly live: readonly string[]; readonly slots: ReadonlySet<string> };

function aCustomerNeverHoldsMoreThanFiveEndpoints({ live }: Endpoints): Verdict {
  return live.length <= limits.endpointsPerCustomer ? null : `${live.length} endpoints are live`;
}

function slotsMatchTheLiveEndpoints({ live, slots }: Endpoints): Verdict {
  const agree = live.length === slots.size && live.every((id) => slots.has(id));
  return agree ? null : `live: ${live.join(' ')}; slots: ${[...slots].join(' ')}`;
}

const endpointPromises = [aCustomerNeverHoldsMoreThanFiveEndpoints, slotsMatchTheLiveEndpoints];

/** One write of a bulk replay. `running`: the job that the row of its endpoint names. */
type JobChange = {
  readonly was: BulkReplay | null;
  readonly is: BulkReplay;
  readonly running: string | null;
  readonly runningJobs: number;
};

function anEndpointHasAtMostOneRunningJobWhichItsRowNames({ is, running, runningJobs }: JobChange): Verdict {
  const isNamed = (is.status === 'running') === (running === is.id);
  return runningJobs <= 1 && isNamed ? null : `${runningJobs} jobs run, and ${running} is named`;
}

function aJobOnlyMovesForwardsAndEndsOnce({ was, is }: JobChange): Verdict {
  if (was === null) return null;
  const hasMoved = is.step >= was.step && (is.cursor ?? '') >= (was.cursor ?? '');
  const isFinal = was.status === 'running' || (was.status === is.status && was.endedAt === is.endedAt);
  return hasMoved && isFinal ? null : `${json(was)} became ${json(is)}`;
}

const jobPromises = [anEndpointHasAtMostOneRunningJobWhichItsRowNames, aJobOnlyMovesForwardsAndEndsOnce];

/** A row that was written. */
type Stored = { readonly kind: string; readonly written: unknown; readonly read: unknown };

function everyRowReadsAsItWasWritten({ kind, written, read }: Stored): Verdict {
  return isDeepStrictEqual(written, read) ? null : `${kind}: ${json(written)} is read as ${json(read)}`;
}

export const everyStep = {
  ofStored: (kind: string, written: unknown, read: unknown) =>
    broken([everyRowReadsAsItWasWritten], { kind, written, read }),
  ofDelivery: (before: DeliveryRow | null, { delivery: is, dueAt }: DeliveryRow) =>
    before === null ? [] : broken(deliveryPromises, { was: before.delivery, is, dueAt }, `${is.id}: `),
  ofBulkReplay: (table: MemoryTable, before: BulkReplayRow | null, { job: is }: BulkReplayRow) => {
    const place = `${is.customerId}#${is.webhookId}`;
    const jobs = [...table.bulkReplays.values()].map(({ job }) => job);
    const runningJobs = jobs.filter(
      (job) => job.status === 'running' && job.webhookId === is.webhookId,
    ).length;
    const change = { was: before?.job ?? null, is, running: table.running.get(place) ?? null, runningJobs };
    return broken(jobPromises, change, `${is.id}: `);
  },
  ofEndpoints: (table: MemoryTable, customerId: string) => {
    const live = table.liveEndpoints(customerId).map(({ id }) => id);
    // The slots of a customer that is being deleted are taken.
    if (!table.hasCustomer(customerId)) return [];
    return broken(endpointPromises, { live, slots: table.holdingsOf(customerId).slots }, `${customerId}: `);
  },
} as const;

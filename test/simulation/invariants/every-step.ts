import { isDeepStrictEqual } from 'node:util';
import { limits } from '#shared/contract/limits.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { maxAttempts, nextAttemptAt } from '#shared/domain/retry-plan.ts';
import type { DeliveryRow, RecordTable } from '../../support/table/record-table.ts';
import { mostSetBack } from '../world/invocation.ts';
import { broken, type Promises } from './promises.ts';

const json = (value: unknown): string => JSON.stringify(value);

/** One write of a delivery. */
type Change = { readonly was: Delivery; readonly is: Delivery; readonly dueAt: number | null };

const deliveryPromises = {
  *attemptsRiseByOneAndFallOnlyWhenAClaimIsGivenBack({ was, is }) {
    const rise = is.attempts - was.attempts;
    const isGivenBack = rise === -1 && was.claim !== null && is.claim === null && is.status === 'pending';
    if (rise !== 0 && rise !== 1 && !isGivenBack) yield `attempts went from ${was.attempts} to ${is.attempts}`;
  },

  *noFourthAttemptIsClaimed({ is }) {
    if (is.attempts > maxAttempts) yield `attempt ${is.attempts} was taken`;
  },

  /** Except that it names its newest replay. */
  *anEndedDeliveryNeverChanges({ was, is }) {
    const { replayedBy } = is.replayedBy === null ? was : is;
    if (was.status !== 'pending' && json({ ...was, replayedBy }) !== json(is)) yield `${json(was)} became ${json(is)}`;
  },

  *anEndedDeliveryHasNoClaimAndNoWakeUp({ is, dueAt }) {
    const isAtRest = is.claim === null && is.retryAt === null && dueAt === null;
    if (is.status !== 'pending' && !isAtRest) yield `${json(is)} is to be woken at ${dueAt}`;
  },

  *aDeliveryKeepsItsIdentityAndItsBytes({ was, is }) {
    for (const member of ['id', 'customerId', 'webhookId', 'replayOf', 'body'] as const)
      if (was[member] !== is[member]) yield `${json(was)} became ${json(is)}`;
  },

  *theLogOnlyGrowsAndHasOneEntryForEachAttempt({ was, is }) {
    const grew = is.log.length - was.log.length;
    if (grew === 0 && is.log.length === 0) return;
    const isKept = was.log.every((entry, index) => isDeepStrictEqual(is.log[index], entry));
    if (!isKept || grew < 0 || grew > 1 || is.log.length > is.attempts)
      yield `the log ${json(was.log)} became ${json(is.log)} with ${is.attempts} attempts`;
  },

  *aRetryIsPlannedOnceFromTheEndOfTheLastAttempt({ was, is }) {
    if (is.retryAt === was.retryAt || is.retryAt === null) return;
    const entry = is.log.at(-1);
    if (entry === undefined || is.log.length === was.log.length) {
      yield `the next attempt was moved from ${was.retryAt} to ${is.retryAt} although none had ended`;
      return;
    }
    const endedAt = entry.at + entry.durationMs;
    const planned = nextAttemptAt(is.id, is.attempts, endedAt) ?? Number.NaN;
    const middle = endedAt + (is.attempts === 1 ? 10 : 50) * 60_000;
    const isPlanned = Math.abs(planned - middle) <= (middle - endedAt) / 10;
    if (!isPlanned || Math.abs(is.retryAt - planned) > 1000 + mostSetBack)
      yield `attempt ${is.attempts} is followed after ${is.retryAt - endedAt} ms`;
  },

  *anEndedDeliveryHasAnEndTime({ is }) {
    if ((is.status === 'pending') !== (is.endedAt === null)) yield `${is.status}, ended ${is.endedAt}`;
  },
} satisfies Promises<Change>;

/** The endpoints of a customer after a change. */
type Endpoints = { readonly live: readonly string[]; readonly slots: ReadonlySet<string> };

const endpointPromises = {
  *aCustomerNeverHoldsMoreThanFiveEndpoints({ live }) {
    if (live.length > limits.endpointsPerCustomer) yield `${live.length} endpoints are live`;
  },

  *slotsMatchTheLiveEndpoints({ live, slots }) {
    if (live.length !== slots.size || !live.every((id) => slots.has(id)))
      yield `live: ${live.join(' ')}; slots: ${[...slots].join(' ')}`;
  },
} satisfies Promises<Endpoints>;

/** One write of a bulk replay. `running`: the job that the row of its endpoint names. */
type JobChange = {
  readonly was: BulkReplay | null;
  readonly is: BulkReplay;
  readonly running: string | null;
  readonly runningJobs: number;
};

const jobPromises = {
  *anEndpointHasAtMostOneRunningJobWhichItsRowNames({ is, running, runningJobs }) {
    const isNamed = (is.status === 'running') === (running === is.id);
    if (runningJobs > 1 || !isNamed) yield `${runningJobs} jobs run, and ${running} is named`;
  },

  *aJobOnlyMovesForwardsAndEndsOnce({ was, is }) {
    if (was === null) return;
    const hasMoved = is.step >= was.step && (is.cursor ?? '') >= (was.cursor ?? '');
    const isFinal = was.status === 'running' || (was.status === is.status && was.endedAt === is.endedAt);
    if (!hasMoved || !isFinal) yield `${json(was)} became ${json(is)}`;
  },
} satisfies Promises<JobChange>;

/** A row that was written. */
type Stored = { readonly kind: string; readonly written: unknown; readonly read: unknown };

const rowPromises = {
  *everyRowReadsAsItWasWritten({ kind, written, read }) {
    if (!isDeepStrictEqual(written, read)) yield `${kind}: ${json(written)} is read as ${json(read)}`;
  },
} satisfies Promises<Stored>;

export const everyStep = {
  ofStored: (kind: string, written: unknown, read: unknown) => broken(rowPromises, { kind, written, read }),
  ofDelivery: (before: DeliveryRow | null, { delivery: is, dueAt }: DeliveryRow) =>
    before === null ? [] : broken(deliveryPromises, { was: before.delivery, is, dueAt }, `${is.id}: `),
  ofBulkReplay: (table: RecordTable, was: BulkReplay | null, is: BulkReplay) => {
    const running = table.running.get(`${is.customerId}#${is.webhookId}`) ?? null;
    const { length: runningJobs } = [...table.bulkReplays.values()].filter(
      ({ status, webhookId }) => status === 'running' && webhookId === is.webhookId,
    );
    return broken(jobPromises, { was, is, running, runningJobs }, `${is.id}: `);
  },
  ofEndpoints: (table: RecordTable, customerId: string) => {
    // The slots of a customer that is being deleted are taken.
    if (!table.customers.has(customerId)) return [];
    const live = table.liveEndpoints(customerId).map(({ id }) => id);
    return broken(endpointPromises, { live, slots: table.holdingsOf(customerId).slots }, `${customerId}: `);
  },
} as const;

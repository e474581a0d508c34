import { claimLease } from '#shared/domain/retry-plan.ts';
import { afterRecord } from '../../support/memory/attempts.ts';
import type { Mutant } from './mutant.ts';
import { patched } from './mutant.ts';

const table = 'table';

/** Mistakes in how attempts are taken, made and recorded. */
export const attemptMutants: readonly Mutant[] = [
  patched('claim after POST', 'everyPostIsOfAnAttemptThatWasTakenBefore', () => {
    return ({ recordAttempt }, { table: stored }, { io }) => ({
      claimAttempt: (key, attempt, { token, leaseUntil }) =>
        io({ service: table, name: 'look' }, () => {
          const delivery = stored.delivery(key)?.delivery ?? null;
          if (delivery?.status !== 'pending' || delivery.attempts !== attempt - 1)
            return { claimed: false, delivery };
          const claim = { token, leaseUntil };
          return { claimed: true, delivery: { ...delivery, attempts: attempt, claim } };
        }),
      recordAttempt: async (recorded) => {
        await io({ service: table, name: 'claim late' }, () => {
          const row = stored.delivery(recorded.key);
          if (row?.delivery.status !== 'pending' || row.delivery.attempts !== recorded.attempt - 1) return;
          const claim = { token: recorded.token, leaseUntil: 0 };
          stored.putDelivery({ ...row.delivery, attempts: recorded.attempt, claim }, row.wakeAt);
        });
        return recordAttempt(recorded);
      },
    });
  }),
  patched('claim without a condition', 'anAttemptIsTakenOnceUnlessItIsGivenBack', () => {
    return (_ports, { table: stored }, { io }) => ({
      claimAttempt: (key, attempt, { token, leaseUntil }) =>
        io({ service: table, name: 'claim' }, () => {
          const row = stored.delivery(key);
          if (row?.delivery.status !== 'pending') return { claimed: false, delivery: row?.delivery ?? null };
          const claim = { token, leaseUntil };
          const claimed = { ...row.delivery, attempts: attempt, claim };
          stored.putDelivery(claimed, row.wakeAt);
          return { claimed: true, delivery: claimed };
        }),
    });
  }),
  patched('no lease', 'noFunctionIsGivenUpBeforeItsLeaseIsOver', () => {
    return ({ claimAttempt }) => ({
      claimAttempt: (key, attempt, claim) =>
        claimAttempt(key, attempt, { ...claim, leaseUntil: claim.leaseUntil - claimLease }),
    });
  }),
  patched('lease without end', 'everyDeliveryEnds', () => {
    return ({ claimAttempt }) => ({
      claimAttempt: (key, attempt, claim) =>
        claimAttempt(key, attempt, { ...claim, leaseUntil: Number.MAX_SAFE_INTEGER }),
    });
  }),
  patched('timer that is early is believed', 'noRetryComesEarly', () => {
    return ({ claimAttempt }) => ({
      claimAttempt: (key, attempt, claim) =>
        claimAttempt(key, attempt, { ...claim, latestDue: Number.MAX_SAFE_INTEGER }),
    });
  }),
  patched('record without a condition', 'anEndedDeliveryNeverChanges', () => {
    return (_ports, { table: stored }, { io }) => ({
      recordAttempt: (recorded) =>
        io({ service: table, name: 'record' }, () => {
          const row = stored.delivery(recorded.key);
          if (row === null) return false;
          const after = afterRecord(row.delivery, recorded);
          stored.putDelivery(after, after.retryAt);
          return true;
        }),
    });
  }),
  patched('interrupted attempt not counted', 'aClaimIsGivenBackByItsOwnWorkerAndOnlyIfNothingWasSent', () => {
    return ({ recordAttempt }, { table: stored }, { io }) => ({
      recordAttempt: async (recorded) => {
        if (recorded.entry.outcome !== 'interrupted') return recordAttempt(recorded);
        return io({ service: table, name: 'give back' }, () => {
          const row = stored.delivery(recorded.key);
          if (row?.delivery.claim?.token !== recorded.token) return false;
          const attempts = recorded.attempt - 1;
          stored.putDelivery({ ...row.delivery, attempts, claim: null }, row.wakeAt);
          return true;
        });
      },
    });
  }),
  patched(
    'gives up at the first failed read, and says nothing',
    'anInterruptedAttemptWasMadeOrItsWorkerDied',
    () => {
      return () => ({ releaseAttempt: async () => false });
    },
  ),
  patched(
    'gives a claim back after the POST',
    'aClaimIsGivenBackByItsOwnWorkerAndOnlyIfNothingWasSent',
    () => {
      return ({ recordAttempt, releaseAttempt }) => ({
        recordAttempt: async (recorded) => {
          if (recorded.entry.outcome !== 'timed_out') return recordAttempt(recorded);
          await releaseAttempt(recorded.key, recorded.attempt, recorded.token);
          return false;
        },
      });
    },
  ),
  {
    name: 'claims an attempt in its last seconds',
    breaks: ['noAttemptIsTakenWithoutTheTimeThatItNeeds'],
    options: () => ({ timeLeft: () => Number.POSITIVE_INFINITY }),
  },
  patched('schedule, but no record of when', 'nothingPendsThatNothingWillWake', () => {
    return (_ports, { table: stored }, { io }) => ({
      recordAttempt: (recorded) =>
        io({ service: table, name: 'record' }, () => {
          const row = stored.delivery(recorded.key);
          if (row?.delivery.claim?.token !== recorded.token) return false;
          stored.putDelivery(afterRecord(row.delivery, recorded), null);
          return true;
        }),
    });
  }),
  patched('wait in the wrong unit', 'aRetryIsPlannedOnceFromTheEndOfItsAttempt', () => {
    return ({ recordAttempt, now }) => ({
      recordAttempt: (recorded) => {
        const { transition } = recorded;
        if (transition.status !== 'pending') return recordAttempt(recorded);
        const retryAt = now() + (transition.retryAt - now()) / 1000;
        return recordAttempt({ ...recorded, transition: { ...transition, retryAt } });
      },
    });
  }),
  patched('attempt whose row cannot be read as it was written', 'whatIsReadIsWhatWasWritten', () => {
    return ({ recordAttempt }) => ({
      recordAttempt: (recorded) =>
        recordAttempt({ ...recorded, entry: { ...recorded.entry, durationMs: -0 } }),
    });
  }),
  patched('late acknowledgement counts', 'deliveredMeansAcknowledgedInTime', () => {
    return ({ postEvent }) => ({
      postEvent: async (request) => {
        const result = await postEvent(request);
        const isLate = typeof result !== 'string' && result.outcome === 'timed_out';
        return isLate ? { ...result, outcome: 'acknowledged' } : result;
      },
    });
  }),
];

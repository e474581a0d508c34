import { recorded } from '#shared/domain/delivery.ts';
import { claimLease } from '#shared/domain/retry-plan.ts';
import { type Mutant, patched } from './mutant.ts';

const table = 'table';

/** Mistakes in how attempts are taken, made and recorded. */
export const attemptMutants: readonly Mutant[] = [
  patched('claim after POST', 'everyPostFollowsItsClaim', () => {
    return ({ recordAttempt }, { table: stored }, { io }) => ({
      claimAttempt: (key, attempt, { fencingToken, leaseUntil }) =>
        io({ service: table, name: 'look' }, () => {
          const delivery = stored.delivery(key)?.delivery ?? null;
          if (delivery?.status !== 'pending' || delivery.attempts !== attempt - 1)
            return { claimed: false, delivery };
          const claim = { fencingToken, leaseUntil };
          return { claimed: true, delivery: { ...delivery, attempts: attempt, claim } };
        }),
      recordAttempt: async (asked) => {
        await io({ service: table, name: 'claim late' }, () => {
          const row = stored.delivery(asked.key);
          if (row?.delivery.status !== 'pending' || row.delivery.attempts !== asked.attempt - 1) return;
          const claim = { fencingToken: asked.fencingToken, leaseUntil: 0 };
          stored.putDelivery({ ...row.delivery, attempts: asked.attempt, claim }, row.dueAt);
        });
        return recordAttempt(asked);
      },
    });
  }),
  patched('claim without a condition', 'anAttemptIsClaimedOnceUnlessItIsGivenBack', () => {
    return (_ports, { table: stored }, { io }) => ({
      claimAttempt: (key, attempt, { fencingToken, leaseUntil }) =>
        io({ service: table, name: 'claim' }, () => {
          const row = stored.delivery(key);
          if (row?.delivery.status !== 'pending') return { claimed: false, delivery: row?.delivery ?? null };
          const claim = { fencingToken, leaseUntil };
          const claimed = { ...row.delivery, attempts: attempt, claim };
          stored.putDelivery(claimed, row.dueAt);
          return { claimed: true, delivery: claimed };
        }),
    });
  }),
  patched('no lease', 'noClaimIsTakenOverBeforeItsLeaseEnds', () => {
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
  patched('early timer accepted', 'noRetryComesEarly', () => {
    return ({ claimAttempt }) => ({
      claimAttempt: (key, attempt, claim) =>
        claimAttempt(key, attempt, { ...claim, latestDue: Number.MAX_SAFE_INTEGER }),
    });
  }),
  patched('record without a condition', 'anEndedDeliveryNeverChanges', () => {
    return (_ports, { table: stored }, { io }) => ({
      recordAttempt: ({ key, entry, transition }) =>
        io({ service: table, name: 'record' }, () => {
          const row = stored.delivery(key);
          if (row === null) return false;
          const after = recorded(row.delivery, entry, transition);
          stored.putDelivery(after, after.retryAt);
          return true;
        }),
    });
  }),
  patched('interrupted attempt not counted', 'onlyItsWorkerGivesAClaimBackAndOnlyIfNothingWasSent', () => {
    return ({ recordAttempt }, { table: stored }, { io }) => ({
      recordAttempt: async (asked) => {
        if (asked.entry.outcome !== 'interrupted') return recordAttempt(asked);
        return io({ service: table, name: 'give back' }, () => {
          const row = stored.delivery(asked.key);
          if (row?.delivery.claim?.fencingToken !== asked.fencingToken) return false;
          const attempts = asked.attempt - 1;
          stored.putDelivery({ ...row.delivery, attempts, claim: null }, row.dueAt);
          return true;
        });
      },
    });
  }),
  patched('claim kept after a failed read', 'anInterruptedAttemptWasMadeOrItsWorkerDied', () => {
    return () => ({ releaseAttempt: async () => false });
  }),
  patched('claim given back after the POST', 'onlyItsWorkerGivesAClaimBackAndOnlyIfNothingWasSent', () => {
    return ({ recordAttempt, releaseAttempt }) => ({
      recordAttempt: async (asked) => {
        if (asked.entry.outcome !== 'timed_out') return recordAttempt(asked);
        await releaseAttempt(asked.key, asked.attempt, asked.fencingToken);
        return false;
      },
    });
  }),
  {
    name: 'attempt claimed without enough time',
    breaks: ['noAttemptIsClaimedWithoutEnoughTime'],
    options: () => ({ timeLeft: () => Number.POSITIVE_INFINITY }),
  },
  patched('retry time not stored', 'everyPendingDeliveryWillBeWoken', () => {
    return (_ports, { table: stored }, { io }) => ({
      recordAttempt: ({ key, fencingToken, entry, transition }) =>
        io({ service: table, name: 'record' }, () => {
          const row = stored.delivery(key);
          if (row?.delivery.claim?.fencingToken !== fencingToken) return false;
          stored.putDelivery(recorded(row.delivery, entry, transition), null);
          return true;
        }),
    });
  }),
  patched('wait in the wrong unit', 'aRetryIsPlannedOnceFromTheEndOfTheLastAttempt', () => {
    return ({ recordAttempt, now }) => ({
      recordAttempt: (asked) => {
        const { transition } = asked;
        if (transition.status !== 'pending') return recordAttempt(asked);
        const retryAt = now() + (transition.retryAt - now()) / 1000;
        return recordAttempt({ ...asked, transition: { ...transition, retryAt } });
      },
    });
  }),
  patched('attempt that is read back differently', 'everyRowReadsAsItWasWritten', () => {
    return ({ recordAttempt }) => ({
      recordAttempt: (asked) => recordAttempt({ ...asked, entry: { ...asked.entry, durationMs: -0 } }),
    });
  }),
  patched('late acknowledgement counted', 'deliveredMeansAcknowledgedInTime', () => {
    return ({ postEvent }) => ({
      postEvent: async (request) => {
        const result = await postEvent(request);
        const isLate = typeof result !== 'string' && result.outcome === 'timed_out';
        return isLate ? { ...result, outcome: 'acknowledged' } : result;
      },
    });
  }),
];

import { recorded } from '#shared/domain/delivery.ts';
import { claimLease } from '#shared/domain/retry-plan.ts';
import type { Posted } from '#shared/operations/ports.ts';
import type { PortPatch } from '../world/ports.ts';
import { mutants } from './mutant.ts';

const table = 'table';

/** Sends a request a second time after some results. */
function sendingAgain(isWrong: (posted: Posted) => boolean): PortPatch {
  return ({ postEvent }) => ({
    postEvent: async (request) => {
      const posted = await postEvent(request);
      return typeof posted !== 'string' && isWrong(posted) ? postEvent(request) : posted;
    },
  });
}

/** Mistakes in how attempts are taken, made and recorded. */
export const attemptMutants = mutants({
  everyPostFollowsItsClaim: {
    'claim after POST': ({ recordAttempt }, { table: stored }, { io }) => ({
      claimAttempt: (key, attempt, { fencingToken, leaseUntil }) =>
        io({ service: table, name: 'look' }, () => {
          const delivery = stored.delivery(key)?.delivery ?? null;
          if (delivery?.status !== 'pending' || delivery.attempts !== attempt - 1) return { claimed: false, delivery };
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
    }),
  },
  aRequestIsSentAgainAtMostOnce: {
    'request sent again on another kept connection': { requestsOnKept: 2 },
  },
  'everyPostFollowsItsClaim or aReceiverAnswersAtMostThreePostsOfADelivery': {
    'request sent again after a time-out': sendingAgain(({ outcome }) => outcome === 'timed_out'),
    'request sent again after a new connection was lost': sendingAgain(
      ({ outcome }) => outcome === 'connection_failed',
    ),
  },
  anAttemptIsClaimedOnceUnlessItIsGivenBack: {
    'claim without a condition': (_ports, { table: stored }, { io }) => ({
      claimAttempt: (key, attempt, { fencingToken, leaseUntil }) =>
        io({ service: table, name: 'claim' }, () => {
          const row = stored.delivery(key);
          if (row?.delivery.status !== 'pending') return { claimed: false, delivery: row?.delivery ?? null };
          const claim = { fencingToken, leaseUntil };
          const claimed = { ...row.delivery, attempts: attempt, claim };
          stored.putDelivery(claimed, row.dueAt);
          return { claimed: true, delivery: claimed };
        }),
    }),
  },
  noClaimIsTakenOverBeforeItsLeaseEnds: {
    'no lease': ({ claimAttempt }) => ({
      claimAttempt: (key, attempt, claim) =>
        claimAttempt(key, attempt, { ...claim, leaseUntil: claim.leaseUntil - claimLease }),
    }),
  },
  everyDeliveryEnds: {
    'lease without end': ({ claimAttempt }) => ({
      claimAttempt: (key, attempt, claim) =>
        claimAttempt(key, attempt, { ...claim, leaseUntil: Number.MAX_SAFE_INTEGER }),
    }),
  },
  noRetryComesEarly: {
    'early timer accepted': ({ claimAttempt }) => ({
      claimAttempt: (key, attempt, claim) =>
        claimAttempt(key, attempt, { ...claim, latestDue: Number.MAX_SAFE_INTEGER }),
    }),
  },
  anEndedDeliveryNeverChanges: {
    'record without a condition': (_ports, { table: stored }, { io }) => ({
      recordAttempt: ({ key, entry, transition }) =>
        io({ service: table, name: 'record' }, () => {
          const row = stored.delivery(key);
          if (row === null) return false;
          const after = recorded(row.delivery, entry, transition);
          stored.putDelivery(after, after.retryAt);
          return true;
        }),
    }),
  },
  'onlyItsWorkerGivesAClaimBack or everyPostFollowsItsClaim': {
    'interrupted attempt not counted': ({ recordAttempt }, { table: stored }, { io }) => ({
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
    }),
    'claim given back after the POST': ({ recordAttempt, releaseAttempt }) => ({
      recordAttempt: async (asked) => {
        if (asked.entry.outcome !== 'timed_out') return recordAttempt(asked);
        await releaseAttempt(asked.key, asked.attempt, asked.fencingToken);
        return false;
      },
    }),
  },
  anInterruptedAttemptWasMadeOrItsWorkerDied: {
    'claim kept after a failed read': () => ({ releaseAttempt: async () => false }),
  },
  noAttemptIsClaimedWithoutEnoughTime: {
    'attempt claimed without enough time': { timeLeft: () => Number.POSITIVE_INFINITY },
  },
  everyPendingDeliveryWillBeWoken: {
    'retry time not stored': (_ports, { table: stored }, { io }) => ({
      recordAttempt: ({ key, fencingToken, entry, transition }) =>
        io({ service: table, name: 'record' }, () => {
          const row = stored.delivery(key);
          if (row?.delivery.claim?.fencingToken !== fencingToken) return false;
          stored.putDelivery(recorded(row.delivery, entry, transition), null);
          return true;
        }),
    }),
  },
  aRetryIsPlannedOnceFromTheEndOfTheLastAttempt: {
    'wait in the wrong unit': ({ recordAttempt, now }) => ({
      recordAttempt: (asked) => {
        const { transition } = asked;
        if (transition.status !== 'pending') return recordAttempt(asked);
        const retryAt = now() + (transition.retryAt - now()) / 1000;
        return recordAttempt({ ...asked, transition: { ...transition, retryAt } });
      },
    }),
  },
  everyRowReadsAsItWasWritten: {
    'attempt that is read back differently': ({ recordAttempt }) => ({
      recordAttempt: (asked) => recordAttempt({ ...asked, entry: { ...asked.entry, durationMs: -0 } }),
    }),
  },
  deliveredMeansAcknowledgedInTime: {
    'late acknowledgement counted': ({ postEvent }) => ({
      postEvent: async (request) => {
        const result = await postEvent(request);
        const isLate = typeof result !== 'string' && result.outcome === 'timed_out';
        return isLate ? { ...result, outcome: 'acknowledged' } : result;
      },
    }),
  },
});

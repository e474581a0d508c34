import { runningReplayKey } from '#shared/aws/table/keys.ts';
import { readEvent } from '#shared/contract/event-body.ts';
import { gatheringScripts, replayedScripts } from '../scripts.ts';
import { mutants } from './mutant.ts';

/** Mistakes in bulk replays. */
export const bulkReplayMutants = mutants({
  noJobSendsAnEventOfWhichAReplayIsPendingOrDelivered: {
    'replay that was delivered sent again': ({ readReplayStates }) => ({
      readReplayStates: async (endpoint, ids) => {
        const states = await readReplayStates(endpoint, ids);
        return states.map((state) => ({ ...state, status: 'failed' }));
      },
    }),
  },
  aBulkReplayRepeatsOnlyWhatWasSelected: {
    'end of the selected time ignored': ({ readReplayable, now }) => ({
      readReplayable: (endpoint, { selection }, position) =>
        readReplayable(endpoint, { selection: { ...selection, createdBefore: now() } }, position),
    }),
  },
  aCompletedJobLeavesNothingOut: {
    'page that leaves out its last delivery': ({ readReplayable }) => ({
      readReplayable: async (endpoint, job, position) => {
        const page = await readReplayable(endpoint, job, position);
        return { ...page, deliveries: page.deliveries.slice(0, -1) };
      },
    }),
  },
  'everyRunningJobWillGoOn or everyJobEnds': {
    'step recorded before the next one is sent': ({ sendReplayStep }) => ({
      sendReplayStep: async (step, delaySeconds) => {
        sendReplayStep(step, delaySeconds).catch(() => {});
      },
    }),
  },
  anEndpointHasAtMostOneRunningJobWhichItsRowNames: {
    'job stored beside one that runs': (_ports, { table }, { io }) => ({
      storeBulkReplay: (job) =>
        io({ service: 'table', name: 'store bulk replay' }, () => {
          table.put({ ...runningReplayKey(job.customerId, job.webhookId), replay_id: job.id });
          table.putBulkReplay(job);
          return true;
        }),
    }),
  },
  noStepThatBeginsAfterTheEndOfItsJobReplays: {
    'cancelled job that goes on': ({ claimReplayStep }) => ({
      claimReplayStep: async (step, claim) => {
        const taken = await claimReplayStep(step, claim);
        return taken.claimed || taken.job?.status !== 'cancelled' ? taken : { claimed: true, job: taken.job };
      },
    }),
  },
  aJobOnlyMovesForwardsAndEndsOnce: {
    'step written over the end of its job': ({ readBulkReplay }, { table }, { io }) => ({
      advanceReplay: async ({ key, step }, progress) => {
        const job = await readBulkReplay(key);
        if (job === null || job.step !== step) return false;
        return io({ service: 'table', name: 'write back' }, () => {
          table.putBulkReplay({ ...job, ...progress, step: step + 1 });
          return true;
        });
      },
    }),
  },
  aJobCountsItsReplaysWhenNothingFails: {
    'replays of the last step not counted': ({ endBulkReplay, readBulkReplay }) => ({
      endBulkReplay: async (key, end) => {
        const job = await readBulkReplay(key);
        if (job === null || end.status === 'cancelled') return endBulkReplay(key, end);
        return endBulkReplay(key, { ...end, progress: job });
      },
    }),
  },
});

/** Mistakes in bulk replays of the events of another endpoint. */
export const gatheredReplayMutants = mutants(
  {
    noEndpointIsSentAgainByAnotherOneWhatItWasSentItself: {
      'event of a source sent without a look': () => ({ hasFirstDelivery: async () => false }),
    },
    'aJobSendsAnEventAtMostOnce or noJobSendsAnEventOfWhichAReplayIsPendingOrDelivered': {
      'replays to the endpoint overlooked': () => ({ listEventReplays: async () => [] }),
    },
    aJobCountsHowItsReplaysEnded: {
      'end of a replay not counted again': ({ addToTally }) => ({
        addToTally: (...ends) => addToTally(...ends).catch(() => {}),
      }),
    },
  },
  gatheringScripts,
);

/** Mistakes in bulk replays of events that were replayed before. */
export const repeatedReplayMutants = mutants(
  {
    aJobSendsAnEventAtMostOnce: {
      'each failed replay sent by itself': ({ readReplayable, storeReplay }) => ({
        storeReplay: (replay, ...rest) => storeReplay({ ...replay, event: readEvent(replay.body) }, ...rest),
        readReplayable: async (endpoint, job, position) => {
          const page = await readReplayable(endpoint, job, position);
          const deliveries = page.deliveries.map((each) => ({
            ...each,
            event: { ...each.event, id: each.id },
          }));
          return { ...page, deliveries };
        },
      }),
    },
  },
  replayedScripts,
);

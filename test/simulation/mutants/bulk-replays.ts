import { firstIdAt } from '#shared/domain/ids.ts';
import { mutants } from './mutant.ts';

/** Mistakes in bulk replays. */
export const bulkReplayMutants = mutants({
  aDeliveryHasAtMostOneReplayOfBulkReplays: {
    'bulk replay that ignores earlier replays': ({ readReplayable, readDelivery, storeReplay }) => ({
      storeReplay: (replay, dueAt) => storeReplay(replay, dueAt, null),
      readReplayable: async (endpoint, job, position) => {
        const page = await readReplayable(endpoint, job, position);
        const { customerId, id: webhookId } = endpoint;
        const ignored = await Promise.all(
          page.replayedEarlier.map((id) => readDelivery({ customerId, webhookId, id })),
        );
        const deliveries = [...page.deliveries, ...ignored].flatMap((delivery) => delivery ?? []);
        return { ...page, deliveries: deliveries.map((delivery) => ({ ...delivery, replayedBy: null })) };
      },
    }),
  },
  aJobNeverTakesAReplayOfItsOwn: {
    'replay dated by the clock of the worker': ({ storeReplay, enqueueAttempts, now }) => {
      const dated = new Map<string, string>();
      return {
        storeReplay: (replay, dueAt, only) => {
          const time = firstIdAt('delivery', now());
          const id = time + replay.id.slice(time.length);
          dated.set(replay.id, id);
          return storeReplay({ ...replay, id }, dueAt, only);
        },
        enqueueAttempts: (due, lane) =>
          enqueueAttempts(
            due.map((each) => ({ ...each, key: { ...each.key, id: dated.get(each.key.id) ?? each.key.id } })),
            lane,
          ),
      };
    },
  },
  aBulkReplayRepeatsOnlyWhatWasSelected: {
    'end of the selected time ignored': ({ readReplayable, now }) => ({
      readReplayable: (endpoint, { id, selection }, position) =>
        readReplayable(endpoint, { id, selection: { ...selection, createdBefore: now() } }, position),
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
          table.running.set(`${job.customerId}#${job.webhookId}`, job.id);
          table.putBulkReplay(job, null);
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
          table.putBulkReplay({ ...job, ...progress, step: step + 1 }, null);
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

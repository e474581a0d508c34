import { firstIdAt } from '#shared/domain/ids.ts';
import { type Mutant, patched } from './mutant.ts';

/** Mistakes in bulk replays. */
export const bulkReplayMutants: readonly Mutant[] = [
  patched('bulk replay that ignores earlier replays', 'aDeliveryHasAtMostOneReplayOfBulkReplays', () => {
    return ({ readReplayable, storeReplay }) => ({
      storeReplay: (replay, dueAt) => storeReplay(replay, dueAt, null),
      readReplayable: async (endpoint, selection, position) => {
        const page = await readReplayable(endpoint, selection, { ...position, isOwn: () => true });
        return {
          ...page,
          deliveries: page.deliveries.map((delivery) => ({ ...delivery, replayedBy: null })),
        };
      },
    });
  }),
  patched('replay dated by the clock of the worker', 'aJobNeverTakesAReplayOfItsOwn', () => {
    return ({ storeReplay, enqueueDelayed, now }) => {
      const dated = new Map<string, string>();
      return {
        storeReplay: (replay, dueAt, only) => {
          const time = firstIdAt('delivery', now());
          const id = time + replay.id.slice(time.length);
          dated.set(replay.id, id);
          return storeReplay({ ...replay, id }, dueAt, only);
        },
        enqueueDelayed: (due) =>
          enqueueDelayed(
            due.map((each) => ({ ...each, key: { ...each.key, id: dated.get(each.key.id) ?? each.key.id } })),
          ),
      };
    };
  }),
  patched('end of the selected time ignored', 'aBulkReplayRepeatsOnlyWhatWasSelected', () => {
    return ({ readReplayable, now }) => ({
      readReplayable: (endpoint, selection, position) =>
        readReplayable(endpoint, { ...selection, createdBefore: now() }, position),
    });
  }),
  patched('page that leaves out its last delivery', 'aCompletedJobLeavesNothingOut', () => {
    return ({ readReplayable }) => ({
      readReplayable: async (endpoint, selection, position) => {
        const page = await readReplayable(endpoint, selection, position);
        return { ...page, deliveries: page.deliveries.slice(0, -1) };
      },
    });
  }),
  patched('step recorded before the next one is sent', ['everyRunningJobWillGoOn', 'everyJobEnds'], () => {
    return ({ sendReplayStep }) => ({
      sendReplayStep: async (step, delaySeconds) => {
        sendReplayStep(step, delaySeconds).catch(() => {});
      },
    });
  }),
  patched('job stored beside one that runs', 'anEndpointHasAtMostOneRunningJobWhichItsRowNames', () => {
    return (_ports, { table }, { io }) => ({
      storeBulkReplay: (job) =>
        io({ service: 'table', name: 'store bulk replay' }, () => {
          table.running.set(`${job.customerId}#${job.webhookId}`, job.id);
          table.putBulkReplay(job, null);
          return true;
        }),
    });
  }),
  patched('cancelled job that goes on', 'noStepThatBeginsAfterTheEndOfItsJobReplays', () => {
    return ({ claimReplayStep }) => ({
      claimReplayStep: async (step, claim) => {
        const taken = await claimReplayStep(step, claim);
        return taken.claimed || taken.job?.status !== 'cancelled' ? taken : { claimed: true, job: taken.job };
      },
    });
  }),
  patched('step written over the end of its job', 'aJobOnlyMovesForwardsAndEndsOnce', () => {
    return ({ readBulkReplay }, { table }, { io }) => ({
      advanceReplay: async ({ key, step }, progress) => {
        const job = await readBulkReplay(key);
        if (job === null || job.step !== step) return false;
        return io({ service: 'table', name: 'write back' }, () => {
          table.putBulkReplay({ ...job, ...progress, step: step + 1 }, null);
          return true;
        });
      },
    });
  }),
  patched('replays of the last step not counted', 'aJobCountsItsReplaysWhenNothingFails', () => {
    return ({ endBulkReplay, readBulkReplay }) => ({
      endBulkReplay: async (key, end) => {
        const job = await readBulkReplay(key);
        if (job === null || end.status === 'cancelled') return endBulkReplay(key, end);
        return endBulkReplay(key, { ...end, progress: job });
      },
    });
  }),
];

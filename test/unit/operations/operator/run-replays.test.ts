import { describe, expect, it } from 'vitest';
import { type BulkReplay, newBulkReplay } from '#shared/domain/bulk-replay.ts';
import { runReplays } from '#shared/operations/operator/run-replays.ts';
import type { ReplayRequest } from '#shared/operations/replays/start-replay.ts';
import { customerId, startOfTest } from '../../../support/values/builders.ts';

const selection = { status: 'failed', createdAfter: 0, createdBefore: startOfTest } as const;
const requestFor = (webhookId: string): ReplayRequest => ({
  customerId,
  webhookId,
  selection,
  rate: 10,
  requestedBy: { by: 'operator', note: null },
});

/** Jobs that replay ten deliveries at each look, and end after thirty. */
function world() {
  const calls: string[] = [];
  const jobs = new Map<string, BulkReplay>();
  const store = (job: BulkReplay): BulkReplay => {
    jobs.set(job.webhookId, job);
    return job;
  };
  const run = runReplays({
    wait: async () => void calls.push('wait'),
    startReplay: async ({ customerId: owner, webhookId, rate, requestedBy }) => {
      calls.push(`start ${webhookId}`);
      const given = { customerId: owner, webhookId, selection, rate, requestedBy };
      return store(newBulkReplay(given, startOfTest, new Uint8Array(10)));
    },
    readBulkReplay: async ({ webhookId }) => {
      const job = jobs.get(webhookId);
      if (job === undefined) return null;
      const replayed = job.replayed + 10;
      return store({ ...job, replayed, status: replayed === 30 ? 'completed' : 'running' });
    },
    cancelReplay: async ({ webhookId }) => {
      calls.push(`cancel ${webhookId}`);
      const job = jobs.get(webhookId);
      if (job === undefined) throw new Error(`No job of ${webhookId}`);
      return store({ ...job, status: 'cancelled' });
    },
  });
  return { calls, jobs, run };
}

const totals = (jobs: readonly BulkReplay[]) => jobs.reduce((sum, { replayed }) => sum + replayed, 0);

describe('runReplays()', () => {
  it('starts a bulk replay once the one before has ended, and tells the progress of all', async () => {
    const { calls, run } = world();
    const progress: number[] = [];

    const jobs = await run([requestFor('whe_1'), requestFor('whe_2')], {
      onProgress: (all) => void progress.push(totals(all)),
      isStopped: () => false,
    });

    expect(jobs.map(({ webhookId, status }) => [webhookId, status])).toEqual([
      ['whe_1', 'completed'],
      ['whe_2', 'completed'],
    ]);
    expect(calls).toEqual(['start whe_1', 'wait', 'wait', 'wait', 'start whe_2', 'wait', 'wait', 'wait']);
    expect(progress).toEqual([0, 10, 20, 30, 30, 40, 50, 60]);
  });

  it('cancels the running one when it is stopped, and starts no other', async () => {
    const { calls, run } = world();
    let replayed = 0;

    const jobs = await run([requestFor('whe_1'), requestFor('whe_2')], {
      onProgress: (all) => {
        replayed = totals(all);
      },
      isStopped: () => replayed === 20,
    });

    expect(jobs.map(({ webhookId, status }) => [webhookId, status])).toEqual([['whe_1', 'cancelled']]);
    expect(calls).toEqual(['start whe_1', 'wait', 'wait', 'cancel whe_1']);
  });

  it('ends when a job was removed meanwhile', async () => {
    const { jobs, run } = world();

    const ended = await run([requestFor('whe_1')], {
      onProgress: () => void jobs.clear(),
      isStopped: () => false,
    });

    expect(ended).toMatchObject([{ webhookId: 'whe_1', status: 'running', replayed: 0 }]);
  });
});

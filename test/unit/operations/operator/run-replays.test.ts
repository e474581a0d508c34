import { describe, expect, it } from 'vitest';
import { problem } from '#shared/contract/problem.ts';
import { type BulkReplay, newBulkReplay } from '#shared/domain/bulk-replay.ts';
import { runReplays, type UnpacedRequest } from '#shared/operations/operator/run-replays.ts';
import { customerId, startOfTest } from '../../../support/values/builders.ts';

const selection = { status: 'failed', createdAfter: 0, createdBefore: startOfTest } as const;
const requestFor = (webhookId: string): UnpacedRequest => ({
  customerId,
  webhookId,
  selection,
  requestedBy: { by: 'operator', note: null },
});
const alone = { rate: 10, atOnce: 1 };

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
      if (webhookId === 'whe_deleted') throw problem('webhook_not_active');
      if (webhookId === 'whe_lost') throw new Error('The table cannot be reached');
      const given = { customerId: owner, webhookId, selection, rate, requestedBy };
      return store(newBulkReplay(given, startOfTest, new Uint8Array(10).fill(jobs.size)));
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

    const { jobs } = await run([requestFor('whe_1'), requestFor('whe_2')], {
      ...alone,
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

    const { jobs } = await run([requestFor('whe_1'), requestFor('whe_2')], {
      ...alone,
      onProgress: (all) => {
        replayed = totals(all);
      },
      isStopped: () => replayed === 20,
    });

    expect(jobs.map(({ webhookId, status }) => [webhookId, status])).toEqual([['whe_1', 'cancelled']]);
    expect(calls).toEqual(['start whe_1', 'wait', 'wait', 'cancel whe_1']);
  });

  it('runs a few at a time, which share the pace, and begins the next as soon as one has ended', async () => {
    const { jobs, run } = world();
    let most = 0;
    const rates: number[] = [];
    const count = (all: readonly BulkReplay[]) => {
      const running = all.filter(({ status }) => status === 'running');
      most = Math.max(most, running.length);
      rates.push(running.reduce((sum, { rate }) => sum + rate, 0));
    };

    const result = await run(['whe_1', 'whe_2', 'whe_3', 'whe_4', 'whe_5'].map(requestFor), {
      rate: 11,
      atOnce: 3,
      onProgress: count,
      isStopped: () => false,
    });

    expect(result.jobs.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'completed'));
    expect(most).toBe(3);
    expect(Math.max(...rates)).toBe(11);
    expect([...jobs.values()].slice(0, 3).map(({ rate }) => rate)).toEqual([3, 4, 4]);
  });

  it('gives one endpoint no more than its own limit', async () => {
    const { jobs, run } = world();

    await run([requestFor('whe_1')], {
      rate: 400,
      atOnce: 8,
      onProgress: () => undefined,
      isStopped: () => false,
    });

    expect(jobs.get('whe_1')).toMatchObject({ rate: 100 });
  });

  it('goes on with the others after a refusal, and says which was refused', async () => {
    const { run } = world();

    const { jobs, refused } = await run([requestFor('whe_deleted'), requestFor('whe_2')], {
      ...alone,
      onProgress: () => undefined,
      isStopped: () => false,
    });

    expect(refused).toMatchObject([
      { request: { webhookId: 'whe_deleted' }, problem: { code: 'webhook_not_active' } },
    ]);
    expect(jobs).toMatchObject([{ webhookId: 'whe_2', status: 'completed', rate: 10 }]);
  });

  it('starts no other after a failure, and fails once those under way have ended', async () => {
    const { calls, jobs, run } = world();
    const requests = ['whe_1', 'whe_lost', 'whe_3'].map(requestFor);

    const result = run(requests, {
      rate: 10,
      atOnce: 2,
      onProgress: () => undefined,
      isStopped: () => false,
    });

    await expect(result).rejects.toThrow('The table cannot be reached');
    expect([...jobs.values()]).toMatchObject([{ webhookId: 'whe_1', status: 'completed' }]);
    expect(calls).not.toContain('start whe_3');
  });

  it('ends when a job was removed meanwhile', async () => {
    const { jobs, run } = world();

    const { jobs: ended } = await run([requestFor('whe_1')], {
      ...alone,
      onProgress: () => void jobs.clear(),
      isStopped: () => false,
    });

    expect(ended).toMatchObject([{ webhookId: 'whe_1', status: 'running', replayed: 0 }]);
  });
});

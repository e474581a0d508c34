import { describe, expect, it } from 'vitest';
import { bulkReplayKey } from '#shared/aws/table/keys.ts';
import { problem } from '#shared/contract/problem.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import { found } from '#shared/operations/found.ts';
import { type RunControl, runBulkReplays, type UnpacedRequest } from '#shared/operations/operator/run-bulk-replays.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import { buildBulkReplay, customerId, startOfTest } from '../../../support/values/builders.ts';

const selection = { status: 'failed', createdAfter: 0, createdBefore: startOfTest } as const;
const requestFor = (webhookId: string): UnpacedRequest => ({
  customerId,
  webhookId,
  selection,
  requestedBy: { by: 'operator', note: null },
});

/** Jobs that replay ten deliveries at each look, and end after thirty. */
function world() {
  const calls: string[] = [];
  const outage = { looks: 0 };
  const { records, ports } = recordStore({
    asking: () => {
      outage.looks -= 1;
      if (outage.looks >= 0) throw new Error('The table cannot be reached');
    },
  });
  const { bulkReplays: jobs } = records;
  const store = (job: BulkReplay): BulkReplay => {
    records.putBulkReplay(job);
    return job;
  };
  const proceed = (job: BulkReplay) => {
    const replayed = job.replayed + 10;
    store({ ...job, replayed, status: replayed === 30 ? 'completed' : 'running' });
  };
  const run = runBulkReplays({
    ...ports,
    wait: async () => {
      calls.push('wait');
      if (outage.looks > 0) return;
      for (const job of jobs.values()) if (job.status === 'running') proceed(job);
    },
    startBulkReplay: async ({ customerId: owner, webhookId, rate, requestedBy }) => {
      calls.push(`start ${webhookId}`);
      if (webhookId === 'whe_deleted') throw problem('webhook_not_active');
      if (webhookId === 'whe_lost') throw new Error('The table cannot be reached');
      const given = { customerId: owner, webhookId, rate, requestedBy };
      return store(buildBulkReplay(given, startOfTest, new Uint8Array(10).fill(jobs.size)));
    },
    cancelBulkReplay: async (key) => {
      calls.push(`cancel ${key.webhookId}`);
      return { job: store({ ...found(records.bulkReplay(key)), status: 'cancelled' }) };
    },
  });
  const removeAll = () => [...jobs.values()].map((job) => records.remove(bulkReplayKey(job)));
  return { calls, jobs, outage, run, removeAll };
}

const total = (jobs: readonly BulkReplay[]) => jobs.reduce((sum, { replayed }) => sum + replayed, 0);

/** Runs bulk replays of these endpoints, by default one at a time and to their end. */
function runIn({ run }: ReturnType<typeof world>, endpoints: readonly string[], given: Partial<RunControl> = {}) {
  const control = { rate: 10, atOnce: 1, onProgress: () => undefined, isStopped: () => false, ...given };
  return run(endpoints.map(requestFor), control);
}

describe('runBulkReplays()', () => {
  it('starts a bulk replay once the one before has ended, and tells the progress of all', async () => {
    const scene = world();
    const progress: number[] = [];

    const { jobs } = await runIn(scene, ['whe_1', 'whe_2'], {
      onProgress: (all) => void progress.push(total(all)),
    });

    expect(jobs.map(({ webhookId, status }) => `${webhookId} ${status}`)).toEqual([
      'whe_1 completed',
      'whe_2 completed',
    ]);
    const waits = ['wait', 'wait', 'wait'];
    expect(scene.calls).toEqual(['start whe_1', ...waits, 'start whe_2', ...waits]);
    expect(progress).toEqual([0, 10, 20, 30, 30, 40, 50, 60]);
  });

  it('cancels the running one when it is stopped, and starts no other', async () => {
    const scene = world();
    let replayed = 0;

    const { jobs } = await runIn(scene, ['whe_1', 'whe_2'], {
      onProgress: (all) => {
        replayed = total(all);
      },
      isStopped: () => replayed === 20,
    });

    expect(jobs).toMatchObject([{ webhookId: 'whe_1', status: 'cancelled' }]);
    expect(scene.calls).toEqual(['start whe_1', 'wait', 'wait', 'cancel whe_1']);
  });

  it('runs a few at a time, which share the pace, and begins the next as soon as one has ended', async () => {
    const scene = world();
    const parallel: number[] = [];
    const rates: number[] = [];

    const { jobs } = await runIn(scene, ['whe_1', 'whe_2', 'whe_3', 'whe_4', 'whe_5'], {
      rate: 11,
      atOnce: 3,
      onProgress: (all) => {
        const running = all.filter(({ status }) => status === 'running');
        parallel.push(running.length);
        rates.push(running.reduce((sum, { rate }) => sum + rate, 0));
      },
    });

    expect(jobs.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'completed'));
    expect(Math.max(...parallel)).toBe(3);
    expect(Math.max(...rates)).toBe(11);
    expect(jobs.slice(0, 3).map(({ rate }) => rate)).toEqual([3, 4, 4]);
  });

  it('gives one endpoint no more than its own limit', async () => {
    const { jobs } = await runIn(world(), ['whe_1'], { rate: 400, atOnce: 8 });

    expect(jobs).toMatchObject([{ rate: 100 }]);
  });

  it('goes on with the others after a refusal, and says which was refused', async () => {
    const { jobs, refused } = await runIn(world(), ['whe_deleted', 'whe_2']);

    expect(refused).toMatchObject([{ request: { webhookId: 'whe_deleted' }, problem: { code: 'webhook_not_active' } }]);
    expect(jobs).toMatchObject([{ webhookId: 'whe_2', status: 'completed', rate: 10 }]);
  });

  it('starts no other after a failure, and fails once those under way have ended', async () => {
    const scene = world();

    const result = runIn(scene, ['whe_1', 'whe_lost', 'whe_3'], { atOnce: 2 });

    await expect(result).rejects.toThrow('The table cannot be reached');
    expect([...scene.jobs.values()]).toMatchObject([{ webhookId: 'whe_1', status: 'completed' }]);
    expect(scene.calls).not.toContain('start whe_3');
  });

  it('looks again at a job after looks that failed, and fails after five in a row', async () => {
    const [short, long] = [world(), world()];
    short.outage.looks = 4;
    long.outage.looks = 5;

    expect((await runIn(short, ['whe_1'])).jobs).toMatchObject([{ status: 'completed' }]);
    await expect(runIn(long, ['whe_1'])).rejects.toThrow('The table cannot be reached');
  });

  it('ends when a job was removed meanwhile', async () => {
    const scene = world();

    const { jobs } = await runIn(scene, ['whe_1'], { onProgress: scene.removeAll });

    expect(jobs).toMatchObject([{ webhookId: 'whe_1', status: 'running', replayed: 0 }]);
  });
});

import { readBulkReplay } from '#shared/aws/table/replays/bulk-replays.ts';
import { limits } from '#shared/contract/limits.ts';
import { Problem } from '#shared/contract/problem.ts';
import type { BulkReplay, BulkReplayKey, ReplayRequest } from '#shared/domain/bulk-replay.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { fewAtOnce } from './few-at-once.ts';

type Deps = Pick<Needs, 'table' | 'wait'> & {
  /** @throws Problem */
  readonly startBulkReplay: (request: ReplayRequest) => Promise<BulkReplay>;
  readonly cancelBulkReplay: (key: BulkReplayKey) => Promise<{ readonly job: BulkReplay }>;
};

/** The pace of a run. */
export type RunPace = {
  /** Replays a second of all jobs together. */
  readonly rate: number;
  /** Jobs that run at the same time, at most, and not more than `rate`. */
  readonly atOnce: number;
};

/** How the caller watches and stops a run. */
export type RunControl = RunPace & {
  /** Called with all jobs so far when one was started or read. */
  readonly onProgress: (jobs: readonly BulkReplay[]) => void;
  /** Once `true`, the running jobs are cancelled, and no other one is started. */
  readonly isStopped: () => boolean;
};

/** A job that could not be started, for example because its endpoint was deleted meanwhile. */
export type RefusedReplay = { readonly request: UnpacedRequest; readonly problem: Problem };

export type RunResult = {
  /** As last read: ended, unless a job was removed meanwhile. */
  readonly jobs: readonly BulkReplay[];
  readonly refused: readonly RefusedReplay[];
};

/** What to replay; the run chooses the pace of each job. */
export type UnpacedRequest = Omit<ReplayRequest, 'rate'>;

/** Milliseconds between two looks at a job. */
const pollInterval = 500;
/** Looks in a row that may fail. */
const failedLooks = 5;

/**
 * Runs bulk replays in their order, a few at a time. Together they keep the pace of the run. A job that is refused does
 * not stop the others.
 *
 * @throws every failure other than a refusal, once the jobs under way have ended
 */
export function runBulkReplays(deps: Deps) {
  return async (requests: readonly UnpacedRequest[], control: RunControl): Promise<RunResult> => {
    const jobs = new Map<string, BulkReplay>();
    const refused: RefusedReplay[] = [];
    const pace = sharedPace(control, requests.length);
    const report = (job: BulkReplay): void => {
      jobs.set(job.id, job);
      control.onProgress([...jobs.values()]);
    };
    await fewAtOnce(requests, control.atOnce, async (request) => {
      if (control.isStopped()) return;
      const share = pace.take();
      try {
        await runReplay(deps, { ...request, rate: share }, { ...control, report });
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        refused.push({ request, problem });
      } finally {
        pace.giveBack(share);
      }
    });
    return { jobs: [...jobs.values()], refused };
  };
}

/** Divides the pace among the jobs: each takes its part of what the running ones leave. */
function sharedPace({ rate, atOnce }: RunPace, count: number) {
  let free = rate;
  let running = 0;
  let waiting = count;
  const take = (): number => {
    const starting = Math.min(atOnce - running, waiting);
    const share = Math.min(limits.operatorReplayRateMax, Math.floor(free / starting));
    free -= share;
    running += 1;
    waiting -= 1;
    return share;
  };
  const giveBack = (share: number): void => {
    free += share;
    running -= 1;
  };
  return { take, giveBack };
}

async function runReplay(
  deps: Deps,
  request: ReplayRequest,
  { report, isStopped }: Pick<RunControl, 'isStopped'> & { readonly report: (job: BulkReplay) => void },
): Promise<void> {
  let job = await deps.startBulkReplay(request);
  report(job);
  while (job.status === 'running') {
    if (isStopped()) {
      ({ job } = await deps.cancelBulkReplay(job));
    } else {
      await deps.wait(pollInterval);
      const read = await readAgain(deps, job);
      if (read === null) return;
      job = read;
    }
    report(job);
  }
}

/** Reads a job, and again when that fails: it goes on meanwhile. */
async function readAgain(deps: Deps, job: BulkReplay): Promise<BulkReplay | null> {
  for (let look = 1; ; look += 1) {
    try {
      return await readBulkReplay(deps.table, job);
    } catch (error) {
      if (look === failedLooks) throw error;
      await deps.wait(pollInterval);
    }
  }
}

import type { BulkReplay, BulkReplayKey } from '#shared/domain/bulk-replay.ts';
import type { Wait } from '#shared/operations/ports.ts';
import type { ReadBulkReplay } from '#shared/operations/replays/ports.ts';
import type { ReplayRequest } from '#shared/operations/replays/start-replay.ts';

type Deps = {
  readonly wait: Wait;
  /** @throws Problem */
  readonly startReplay: (request: ReplayRequest) => Promise<BulkReplay>;
  readonly readBulkReplay: ReadBulkReplay;
  readonly cancelReplay: (key: BulkReplayKey) => Promise<BulkReplay>;
};

/** How the caller watches and stops a run. */
export type RunControl = {
  /** Called with all jobs so far when one was started or read. */
  readonly onProgress: (jobs: readonly BulkReplay[]) => void;
  /** Once `true`, the running job is cancelled, and no other one is started. */
  readonly isStopped: () => boolean;
};

/** Milliseconds between two looks at a job. */
const pollInterval = 500;

/**
 * Runs one bulk replay after another, so that the pace of each is the pace of all.
 *
 * @returns the jobs that were started, as last read: ended, unless a job was removed meanwhile
 * @throws Problem when a job cannot be started; the earlier ones have ended
 */
export function runReplays(deps: Deps) {
  return async (requests: readonly ReplayRequest[], control: RunControl): Promise<readonly BulkReplay[]> => {
    const ended: BulkReplay[] = [];
    for (const request of requests) {
      if (control.isStopped()) break;
      const report = (job: BulkReplay) => control.onProgress([...ended, job]);
      ended.push(await runReplay(deps, request, { ...control, report }));
    }
    return ended;
  };
}

async function runReplay(
  deps: Deps,
  request: ReplayRequest,
  { report, isStopped }: Pick<RunControl, 'isStopped'> & { readonly report: (job: BulkReplay) => void },
): Promise<BulkReplay> {
  let job = await deps.startReplay(request);
  report(job);
  while (job.status === 'running') {
    if (isStopped()) {
      job = await deps.cancelReplay(job);
    } else {
      await deps.wait(pollInterval);
      const read = await deps.readBulkReplay(job);
      if (read === null) break;
      job = read;
    }
    report(job);
  }
  return job;
}

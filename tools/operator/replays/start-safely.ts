import { Problem } from '#shared/contract/problem.ts';
import type { BulkReplay, ReplayRequest } from '#shared/domain/bulk-replay.ts';
import type { Wait } from '#shared/operations/ports.ts';
import type { startBulkReplay } from '#shared/operations/replays/start-bulk-replay.ts';
import { freshSeed } from '#shared/operations/seed.ts';

type Deps = Parameters<typeof freshSeed>[0] & {
  readonly wait: Wait;
  readonly start: ReturnType<typeof startBulkReplay>;
};

const tries = 3;
/** Milliseconds. */
const pause = 500;

/** Starts a bulk replay, and again with the same id when an answer was lost: only one job is stored. */
export function startSafely(deps: Deps) {
  return async (request: ReplayRequest): Promise<BulkReplay> => {
    const bytes = deps.randomBytes(10);
    const seed = { ...freshSeed(deps), entropy: () => bytes };
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await deps.start(request, { ...seed, isRepeated: attempt > 1 });
      } catch (error) {
        if (error instanceof Problem || attempt === tries) throw error;
        await deps.wait(pause * attempt);
      }
    }
  };
}

import { describe, expect, it } from 'vitest';
import { runReplayStep } from '#shared/operations/replays/run-replay-step.ts';
import { functions } from '../../lib/functions/functions.ts';
import { replayWorld } from '../unit/operations/replays/replay-world.ts';

describe('the lease of a replay step', () => {
  it('the lease ends after its function, and before its message returns from a function that died', async () => {
    const timeout = functions['queue/replay'].timeout * 1000;
    const { deps, job, start } = replayWorld({ failed: 1 });
    await start();
    const leases: number[] = [];
    const run = runReplayStep({
      ...deps,
      claimReplayStep: (step, claim) => {
        leases.push(claim.leaseUntil - claim.now);
        return deps.claimReplayStep(step, claim);
      },
    });

    await run({ key: job, step: 1 }, () => timeout);

    expect(leases).toHaveLength(1);
    expect(Math.min(...leases)).toBeGreaterThan(timeout);
    expect(Math.max(...leases)).toBeLessThan(6 * timeout);
  });
});

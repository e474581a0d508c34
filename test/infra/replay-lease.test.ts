import { describe, expect, it } from 'vitest';
import { functions } from '../../lib/functions/functions.ts';
import { Crash, replayWorld } from '../unit/operations/replays/replay-world.ts';

describe('the lease of a replay step', () => {
  it('the lease ends after its function, and before its message returns from a function that died', async () => {
    const timeout = functions['queue/replay'].timeout * 1000;
    const { clock, job, start, run, ports, faults } = replayWorld({ failed: 1 });
    await start();
    faults.strike = (moment) => {
      if (moment === 'after') throw new Crash();
    };
    await expect(run({ key: job, step: 1 }, () => timeout)).rejects.toThrow(Crash);
    faults.strike = () => {};

    const at = { now: clock.now, leaseUntil: clock.now + 1 };
    const { heldUntil } = { heldUntil: null, ...(await ports.claimReplayStep({ key: job, step: 1 }, at)) };
    const lease = (heldUntil ?? 0) - clock.now;

    expect(lease).toBeGreaterThan(timeout);
    expect(lease).toBeLessThan(6 * timeout);
  });
});

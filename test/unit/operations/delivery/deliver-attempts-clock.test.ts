import { describe, expect, it } from 'vitest';
import { claimGrace, claimLease, maxAttempts } from '#shared/domain/retry-plan.ts';
import { createDelivering, dueFor } from '../../../support/operations/delivering.ts';
import { hour, minute, rejected } from '../../../support/values/builders.ts';

/** A function whose clock jumps once during its first attempt: after the claim, or during the POST. */
function createJumping(point: 'before the POST' | 'during the POST', by: number) {
  let calls = 0;
  const jumpOnce = () => {
    if (calls === 0) world.clock.pass(by);
    calls += 1;
  };
  const world: ReturnType<typeof createDelivering> = createDelivering({
    receiver: () => {
      if (point === 'during the POST') jumpOnce();
      return rejected;
    },
    deps: {
      claimAttempt: async (...asked) => {
        const taken = await world.ports.claimAttempt(...asked);
        if (point === 'before the POST') jumpOnce();
        return taken;
      },
    },
  });
  /** Delivers messages for the next attempt until the delivery has ended, for a day at most. */
  const settle = async () => {
    for (let asked = 0; asked < 100 && world.stored()?.status === 'pending'; asked += 1) {
      const { attempts = 0, claim = null } = world.stored() ?? {};
      await world.deliver([dueFor(claim === null ? attempts + 1 : attempts)]);
      world.clock.pass(10 * minute);
    }
  };
  return { ...world, settle };
}

describe('deliverAttempts() on a clock that jumps', () => {
  const points = ['before the POST', 'during the POST'] as const;
  const jumps = [-6 * hour, -5 * minute, -claimLease, claimGrace + 1, claimLease + 1, 5 * minute, 6 * hour];

  it.each(points.flatMap((point) => jumps.map((by) => ({ point, by }))))(
    'ends the delivery after three attempts, all in its log, when the clock jumps $by ms $point',
    async ({ point, by }) => {
      const world = createJumping(point, by);

      await world.settle();

      expect(world.posts.length).toBeLessThanOrEqual(maxAttempts);
      expect(world.stored()).toMatchObject({
        status: 'failed',
        attempts: maxAttempts,
        claim: null,
        log: { length: maxAttempts },
      });
    },
  );

  it('begins no POST when the clock shows that the lease may end during it', async () => {
    const world = createJumping('before the POST', claimGrace + 1);

    expect(await world.deliver([dueFor()])).toEqual(['retry']);
    expect(world.posts).toEqual([]);
  });
});

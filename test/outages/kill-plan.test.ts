import { describe, expect, it } from 'vitest';
import { killPlan } from './kill-plan.ts';

describe('killPlan()', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(killPlan(7, 20)).toEqual(killPlan(7, 20));
    expect(killPlan(7, 20)).not.toEqual(killPlan(8, 20));
  });

  it('strikes during starts, when the stack is ready, and while it posts, but first of all while it posts', () => {
    const plan = killPlan(1, 50);

    expect(new Set(plan.map(({ after }) => after))).toEqual(new Set(['launch', 'ready', 'post']));
    expect(plan[0]?.after).toBe('post');
  });
});

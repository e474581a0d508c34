import { describe, expect, it } from 'vitest';
import { killPlan } from './kill-plan.ts';

describe('killPlan()', () => {
  it('returns the same plan for the same seed, and another plan for another seed', () => {
    expect(killPlan(7, 20)).toEqual(killPlan(7, 20));
    expect(killPlan(7, 20)).not.toEqual(killPlan(8, 20));
  });

  it('kills during starts, when the stack is ready, and while it posts, which comes first', () => {
    const plan = killPlan(1, 50);

    expect(new Set(plan.map(({ after }) => after))).toEqual(new Set(['launch', 'ready', 'post']));
    expect(plan[0]?.after).toBe('post');
  });
});

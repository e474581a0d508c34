import { describe, expect, it } from 'vitest';
import { planKills } from '../../outages/play-crashes.ts';

describe('planKills()', () => {
  const plan = planKills(50, 7);

  it('the kills of a seed are at the same moments each time, and those of another seed at others', () => {
    expect(planKills(50, 7)).toEqual(plan);
    expect(planKills(50, 8)).not.toEqual(plan);
  });

  it('kills strike at different moments of a start, of idling and of posting', () => {
    expect(new Set(plan.map(({ after }) => after))).toEqual(new Set(['launch', 'ready', 'post']));
    expect(new Set(plan.map(({ ms }) => ms)).size).toBeGreaterThan(40);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('the first kill of seed %i finds data to lose', (seed) => {
    expect(planKills(1, seed)).toMatchObject([{ after: 'post' }]);
  });
});

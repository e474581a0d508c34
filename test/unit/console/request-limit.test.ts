import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RefreshBudget } from '../../../console/api/request-limit.ts';

function delayOf(field: string | null, parts: number): number {
  const budget = new RefreshBudget();
  budget.learn(field);
  for (let count = 0; count < parts; count += 1) budget.join();
  return budget.delay();
}

describe('RefreshBudget', () => {
  it.each([
    ['nothing is known', null, 1, 5_000],
    ['the field has another form', 'limit=60', 1, 5_000],
    ['much is left', '"default";r=58;t=31', 1, 5_000],
    ['5 requests are left above the reserve', '"default";r=25;t=50', 1, 10_000],
    ['two parts share what is left', '"default";r=24;t=40', 2, 20_000],
    ['only the reserve is left', '"default";r=20;t=31', 1, 31_000],
    ['nothing is left', '"default";r=0;t=2', 1, 5_000],
  ])('when %s (%s), %d parts refresh every %d ms', (_when, field, parts, delay) => {
    expect(delayOf(field, parts)).toBe(delay);
  });

  it('all parts together never use the 20 requests that are for the reader', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 21, max: 60 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 12 }),
        (remaining, seconds, parts) => {
          const rounds = Math.floor((seconds * 1_000) / delayOf(`"default";r=${remaining};t=${seconds}`, parts));
          const used = rounds * parts;

          expect(used === 0 || remaining - used >= 20 || rounds === 1).toBe(true);
        },
      ),
    );
  });

  it('a part that leaves gives its share back, and a response without the field changes nothing', () => {
    const budget = new RefreshBudget();
    budget.learn('"default";r=24;t=40');
    budget.join();
    const leave = budget.join();
    leave();
    budget.learn(null);

    expect(budget.delay()).toBe(10_000);
  });
});

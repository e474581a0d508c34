import { Random } from '../simulation/world/random.ts';

/** One `kill -9`, `ms` milliseconds after the stack was launched, was ready, or sent its first POST. */
export type Kill = { readonly after: keyof typeof spans; readonly ms: number };

const spans = {
  launch: { from: 100, to: 3_500 },
  ready: { from: 200, to: 6_000 },
  post: { from: 0, to: 3_000 },
} as const;

/** Random moments, the same for the same seed. The first kill is not during a start, when there is no data to lose. */
export function killPlan(seed: number, kills: number): readonly Kill[] {
  const random = new Random(seed);
  return Array.from({ length: kills }, (_, index): Kill => {
    const early = random.oneIn(2) ? 'launch' : 'ready';
    const after = random.oneIn(2) || index === 0 ? 'post' : early;
    return { after, ms: random.between(spans[after].from, spans[after].to) };
  });
}

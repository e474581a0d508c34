import { describe, expect, it } from 'vitest';
import { resultOf } from '../../../tools/bench/pipeline/pipeline.ts';
import type { Round } from '../../../tools/bench/pipeline/rounds.ts';

function round(perSecond: number): Round {
  const burst = { perSecond, cpuMs: 2.5, logBytes: 400, tableCalls: 2 };
  const spread = { p50: 10, p99: 20, max: 30 };
  return {
    floor: { ms: 0.5, cpuMs: 0.25 },
    oneEndpoint: burst,
    tenEndpoints: burst,
    latency: spread,
    list: spread,
    read: spread,
  };
}

describe('resultOf()', () => {
  it('shows the median of the rounds with its range, and compares times with a lean write of the same round', () => {
    const { tables, budgets } = resultOf([100, 300, 200].map(round), [], []);

    expect(tables[0]?.rows[2]).toEqual(['deliveries per second, 1 endpoint', 200, 100, 300]);
    expect(budgets.map(({ measured }) => measured)).toEqual([20, 40, 20, 20, 10, 10, 2, 400]);
  });

  it('compares each round with the one of the other build', () => {
    const { tables } = resultOf([100, 300].map(round), [50, 100].map(round), []);

    expect(tables[0]?.rows[2]?.slice(1)).toEqual([200, 100, 300, 75, 2.5, 2, 3]);
  });
});

import { describe, expect, it } from 'vitest';
import { always, deployed, modelQuick, ramp } from '../../../bench/neighbour/scenario.ts';
import { parseConfig } from '../../../lib/config.ts';

const run = {
  quickEndpoints: 20,
  rate: 10,
  seconds: 10,
  batchSize: 10,
  capacity: always(5),
  handlingMs: 100,
} as const;

describe('modelQuick()', () => {
  it('takes no longer than the handling when there is no slow endpoint', () => {
    expect(modelQuick({ ...run, waiting: 0, order: 'plain' })).toMatchObject({
      count: 100,
      p50: 100,
      max: 100,
    });
  });

  it('makes quick endpoints wait for the whole backlog in plain order', () => {
    // 1,000 / (5 × 10) rounds of ten seconds; the first event came as they began.
    expect(modelQuick({ ...run, waiting: 1_000, order: 'plain' }).max).toBe(200_000 + 100);
  });

  it('makes quick endpoints wait for one attempt at most in fair order', () => {
    const small = modelQuick({ ...run, waiting: 1_000, order: 'fair' });

    expect(small.max).toBeLessThanOrEqual(10_000 + 100);
    expect(modelQuick({ ...run, waiting: 10_000, order: 'fair' })).toEqual(small);
  });

  it('hardly makes quick endpoints wait in fair order while functions are added evenly', () => {
    const capacity = ramp('even', deployed.functions);

    expect(modelQuick({ ...run, waiting: 5_000, order: 'fair', capacity }).max).toBeLessThanOrEqual(300);
  });
});

describe('modelQuick() with a slow lane', () => {
  const streams = { ...run, waiting: 0, slowRate: 10, seconds: 60, order: 'fair' } as const;

  it('makes quick endpoints wait only for attempts that began before the mark', () => {
    const without = modelQuick(streams);
    const lane = modelQuick({ ...streams, slowLane: true });

    expect(without.p99).toBeGreaterThan(5_000);
    // Five functions, each held for ten seconds by attempts of the first second; nothing is behind them.
    expect(lane.max).toBeLessThanOrEqual(10_000 + 100);
    expect(lane.p50).toBe(100);
  });

  it('passes a backlog on instead of attempting it', () => {
    const backlog = { ...run, waiting: 1_000, order: 'plain' } as const;

    // The first batches hold all five functions for ten seconds; the other 950 take five functions a second.
    expect(modelQuick({ ...backlog, slowLane: true }).max).toBeLessThanOrEqual(10_000 + 1_000 + 100);
    expect(modelQuick(backlog).max).toBe(200_000 + 100);
  });

  it('changes nothing for endpoints that no slow one is beside', () => {
    const alone = { ...run, waiting: 0, order: 'fair' } as const;

    expect(modelQuick({ ...alone, slowLane: true })).toEqual(modelQuick(alone));
  });
});

describe('ramp()', () => {
  it.each([
    { kind: 'even', at: 200, functions: 6 },
    { kind: 'even', at: 60_000, functions: 305 },
    { kind: 'even', at: 79_000, functions: 400 },
    { kind: 'by the minute', at: 0, functions: 5 },
    { kind: 'by the minute', at: 60_000, functions: 305 },
    { kind: 'by the minute', at: 120_000, functions: 400 },
  ] as const)(
    'has $functions functions from $at ms on when they are added $kind',
    ({ kind, at, functions }) => {
      expect(ramp(kind, 400).find(({ from }) => from === at)).toEqual({ from: at, functions });
    },
  );

  it('never exceeds the limit, and starts there when the limit is low', () => {
    expect(ramp('even', 400).at(-1)).toEqual({ from: 79_000, functions: 400 });
    expect(ramp('even', 2)).toEqual(always(2));
  });

  it('ends at the default concurrency of a stage', () => {
    expect(deployed.functions).toBe(parseConfig(() => undefined).deliveryConcurrency);
  });
});

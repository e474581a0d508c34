import { describe, expect, it } from 'vitest';
import { spreadOf } from '../../../bench/percentiles.ts';
import type { Measured } from '../../../bench/pipeline/measured.ts';
import { resultOf } from '../../../bench/pipeline/result.ts';

const cpu = { intake: 2, deliver: 3, runner: 1, dynamodb: 4 };
const operation = { ms: 1, loadedMs: 0.5, cpuMs: 0.25 };
const floor = { write: operation, post: operation };
const verified = { events: 10, signatures: 1 };

/** Two rounds. */
function measured(perSecond: number): Measured {
  const burst = { perSecond, cpu };
  const steady = { latency: spreadOf([10, 20, 30]), cpu };
  return {
    oneEndpoint: [burst, burst],
    tenEndpoints: [burst, burst],
    steady: [steady, steady],
    pages: [5, 7],
  };
}

describe('resultOf()', () => {
  it('compares rates, latency and CPU time with one write and one POST of the same round', () => {
    const run = { current: measured(100), other: null, floors: [floor, floor], verified };

    expect(resultOf(run).figures).toMatchObject({
      deliveriesPerSecondOneEndpoint: 100,
      deliveriesPerSecondOneEndpointToFloor: 0.1,
      acceptedToPostP50MsToFloor: 10,
      handlerCpuMsTenEndpoints: 5,
      handlerCpuMsTenEndpointsToFloor: 10,
      firstPageP50Ms: 6,
    });
  });

  it('adds the ratio to the other build when there is one', () => {
    const run = { current: measured(100), other: measured(50), floors: [floor, floor], verified };

    const { figures, tables } = resultOf(run);

    expect(figures.deliveriesPerSecondOneEndpointToOther).toBe(2);
    expect(tables.at(-1)?.rows[0]?.slice(1)).toEqual([100, 50, 2, 2, 2]);
  });

  it('sums the CPU time of all parts', () => {
    const run = { current: measured(100), other: null, floors: [floor, floor], verified };

    expect(resultOf(run).tables[1]?.rows.at(-1)).toEqual(['together', 10, 10, 10]);
  });
});

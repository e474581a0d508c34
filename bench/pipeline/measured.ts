import type { Spread } from '../percentiles.ts';
import type { Verified } from '../support/delivered-once.ts';
import type { CpuTimes } from './cpu-times.ts';
import type { Floor } from './floor-figures.ts';

/** Events that were sent as fast as the queue accepts them. CPU time is for each event. */
export type Burst = { readonly perSecond: number; readonly cpu: CpuTimes };

/** Events at a fixed rate: milliseconds from the accepted message to the POST. */
export type Steady = { readonly latency: Spread; readonly cpu: CpuTimes };

/** What was measured of one build; one value for each round. */
export type Measured = {
  readonly oneEndpoint: Burst[];
  /** Of ten customers. */
  readonly tenEndpoints: Burst[];
  readonly steady: Steady[];
  /** Milliseconds of a read of the first page of deliveries. */
  readonly pages: number[];
};

export type PipelineRun = {
  readonly current: Measured;
  /** The build of `--against`. */
  readonly other: Measured | null;
  /** One for each round. */
  readonly floors: readonly Floor[];
  readonly verified: Verified;
};

import type { Benchmark } from './bench.ts';
import { coldStart } from './cold-start/cold-start.ts';
import { growth } from './growth/growth.ts';
import { neighbour } from './neighbour/neighbour.ts';
import { pipeline } from './pipeline/pipeline.ts';

/** Every benchmark, in the order in which `npm run bench` runs the short ones. */
export const benchmarks: readonly Benchmark[] = [pipeline, neighbour, coldStart, growth];

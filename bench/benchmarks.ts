import type { Benchmark } from './bench.ts';
import { coldStart } from './cold-start/cold-start.ts';
import { growth } from './growth/growth.ts';
import { memory } from './memory/memory.ts';
import { neighbour } from './neighbour/neighbour.ts';
import { pipeline } from './pipeline/pipeline.ts';
import { units } from './units/units.ts';

/** Every benchmark, in the order in which `npm run bench` runs the short ones. */
export const benchmarks: readonly Benchmark[] = [units, pipeline, neighbour, coldStart, memory, growth];

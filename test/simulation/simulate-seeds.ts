import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { simulate } from './simulate.ts';

/** A thread of `npm run simulate`: plays its share of the seeds, and tells the totals after each. */
const given = z.strictObject({ runs: z.number(), seed: z.number(), every: z.number() }).parse(workerData);

const { totals, failure } = await simulate({
  ...given,
  onSeed: (played) => parentPort?.postMessage({ totals: played }),
});
parentPort?.postMessage({ totals, failure });

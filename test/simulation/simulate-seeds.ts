import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { simulate } from './simulate.ts';

/** A thread of `npm run simulate`: plays its share of the seeds, and tells what it played after each. */
const given = z.strictObject({ runs: z.number(), seed: z.number(), every: z.number() }).parse(workerData);

const onSeed: Parameters<typeof simulate>[0]['onSeed'] = (totals) => parentPort?.postMessage({ totals, failure: null });
parentPort?.postMessage(await simulate({ ...given, onSeed }));

import * as z from 'zod';
import { startStack } from '../../tools/local/stack/start.ts';
import { impatientApp, timeScale } from './impatient-app.ts';

const options = z
  .object({ port: z.number(), dataDir: z.string(), trustedOrigins: z.array(z.string()) })
  .parse(JSON.parse(process.argv[2] ?? ''));

/** What `npm start` runs, for a test that kills it: nothing here ends it in order. */
await startStack({
  ...options,
  timeScale,
  synthesize: impatientApp,
  onStep: (step, ms) => console.log(`${step}: ${ms.toFixed(0)} ms`),
  onLogLine: (source, line) => console.log(`${source} | ${line}`),
});
console.log('Ready after its start');

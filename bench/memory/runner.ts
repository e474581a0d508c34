/**
 * A delivery function in a process of its own. Argument: the bundle. For each list of events that it receives, it
 * answers all at once and replies with its memory in bytes. It is copied without types to another folder, so it imports
 * nothing of this project.
 */
import { pathToFileURL } from 'node:url';

const [, , bundle = ''] = process.argv;
const { handler } = await import(pathToFileURL(bundle).href);

const context = {
  awsRequestId: 'request',
  functionName: 'function',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:function',
  memoryLimitInMB: '256',
  logGroupName: 'group',
  logStreamName: 'stream',
  callbackWaitsForEmptyEventLoop: false,
  getRemainingTimeInMillis: () => 60_000,
};

function memory() {
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, live: heapUsed + external, peak: process.resourceUsage().maxRSS * 1024 };
}

process.on('message', async (events: readonly unknown[]) => {
  await Promise.all(events.map((event) => handler(event, context)));
  process.send?.(memory());
});
process.on('disconnect', () => process.exit());
process.send?.(memory());

/**
 * A process that starts like a Lambda function: imports one bundle, and answers one event. Arguments: the bundle and
 * the event. Writes times as the last line of its output, after the logs of the function. It is copied without types to
 * another folder, so it imports nothing of this project.
 */
import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [, , bundle = '', event = ''] = process.argv;

const time = (): number => performance.timeOrigin + performance.now();
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const context = {
  awsRequestId: 'request',
  functionName: 'function',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:function',
  memoryLimitInMB: '256',
  logGroupName: 'group',
  logStreamName: 'stream',
  callbackWaitsForEmptyEventLoop: false,
  getRemainingTimeInMillis: () => 30_000,
};

const { handler } = await import(pathToFileURL(bundle).href);
const importedAt = time();
const answer: unknown = await handler(JSON.parse(event), context);
const answeredAt = time();
writeSync(1, `\n${JSON.stringify({ importedAt, answeredAt, cpuMs: cpuMs(), answer })}`);
process.exit();

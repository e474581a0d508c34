import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context } from 'aws-lambda';
import { askProcess } from '../support/child.ts';
import type { FunctionHandlers } from './function-main.ts';

export type Forwarding = {
  readonly bundle: string;
  /** PEM file of an authority that the process trusts. */
  readonly caFile: string;
  /** Gets the files `pid`, with the id of the process, and `calls`, with the number of its requests to DynamoDB. */
  readonly folder: string;
};

/** Milliseconds between the times at which a process writes how many requests it has made. */
export const callsEvery = 500;

const program = fileURLToPath(new URL('./function-main.ts', import.meta.url));

/**
 * A handler that passes its events to a process in which a bundle runs. The local stack loads it instead of the bundle,
 * in one of its threads, whose processor time would leave out garbage collection and DNS.
 */
export function forwardTo({ bundle, caFile, folder }: Forwarding) {
  const child = fork(program, [bundle, join(folder, 'calls'), String(callsEvery)], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: caFile },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  writeFileSync(join(folder, 'pid'), String(child.pid));
  child.stdout?.pipe(process.stdout);
  child.stderr?.pipe(process.stderr);
  const ask = askProcess<FunctionHandlers>(child);
  return (event: unknown, context: Context): Promise<unknown> => {
    const deadline = Date.now() + context.getRemainingTimeInMillis();
    return ask('invoke', { event, context: { ...context }, deadline });
  };
}

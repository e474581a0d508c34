import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { Context } from 'aws-lambda';
import { askProcess } from '../support/child.ts';
import type { FunctionHandlers } from './function-main.ts';

export type Forwarding = {
  readonly program: string;
  readonly bundle: string;
  /** PEM file of an authority that the process trusts. */
  readonly caFile: string;
  /** Gets the id of the process. */
  readonly pidFile: string;
  /** Gets the number of requests to DynamoDB that the process has made. */
  readonly callsFile: string;
  /** How often it does, in milliseconds. */
  readonly callsEvery: number;
};

/**
 * A handler that passes its events to a process in which a bundle runs. The local stack loads it instead of the bundle,
 * in one of its threads, whose processor time would leave out garbage collection and DNS.
 */
export function forwardTo({ program, bundle, caFile, pidFile, callsFile, callsEvery }: Forwarding) {
  const child = fork(program, [bundle, callsFile, String(callsEvery)], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: caFile },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  writeFileSync(pidFile, String(child.pid));
  child.stdout?.pipe(process.stdout);
  child.stderr?.pipe(process.stderr);
  const ask = askProcess<FunctionHandlers>(child);
  return (event: unknown, context: Context): Promise<unknown> => {
    const deadline = Date.now() + context.getRemainingTimeInMillis();
    return ask('invoke', { event, context: { ...context }, deadline });
  };
}

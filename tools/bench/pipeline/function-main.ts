/** Process that runs the bundle of one function. `forward.ts` starts it, and passes it the events of the local stack. */
import { subscribe } from 'node:diagnostics_channel';
import { renameSync, writeFileSync } from 'node:fs';
import { ClientRequest } from 'node:http';
import { pathToFileURL } from 'node:url';
import { answerRequests } from '../support/child.ts';

type Invocation = {
  readonly event: unknown;
  /** Without its methods. */
  readonly context: object;
  /** Epoch milliseconds. */
  readonly deadline: number;
};

const [, , bundle = '', callsFile = '', callsEvery = ''] = process.argv;

let [calls, written] = [0, 0];
subscribe('http.client.request.start', (started) => {
  const { request } = Object(started);
  if (request instanceof ClientRequest && `${request.getHeader('x-amz-target')}`.startsWith('DynamoDB')) calls += 1;
});
setInterval(() => {
  if (calls === written) return;
  written = calls;
  writeFileSync(`${callsFile}.next`, String(calls));
  renameSync(`${callsFile}.next`, callsFile);
}, Number(callsEvery)).unref();

const { handler } = await import(pathToFileURL(bundle).href);

const handlers = {
  invoke: ({ event, context, deadline }: Invocation): unknown => {
    const getRemainingTimeInMillis = () => Math.max(0, deadline - Date.now());
    return handler(event, { ...context, getRemainingTimeInMillis });
  },
};

export type FunctionHandlers = typeof handlers;

answerRequests(handlers);

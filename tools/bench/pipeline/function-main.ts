/** Process that runs the bundle of one function. `forward.ts` starts it, and passes it the events of the local stack. */
import { pathToFileURL } from 'node:url';
import { answerRequests } from '../support/child.ts';

type Invocation = {
  readonly event: unknown;
  /** Without its methods. */
  readonly context: object;
  /** Epoch milliseconds. */
  readonly deadline: number;
};

const [, , bundle = ''] = process.argv;
const { handler } = await import(pathToFileURL(bundle).href);

const handlers = {
  invoke: ({ event, context, deadline }: Invocation): unknown => {
    const getRemainingTimeInMillis = () => Math.max(0, deadline - Date.now());
    return handler(event, { ...context, getRemainingTimeInMillis });
  },
};

export type FunctionHandlers = typeof handlers;

answerRequests(handlers);

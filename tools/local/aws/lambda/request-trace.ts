import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';

// An import would load a second HTTP client for each function.
const { ClientRequest } = process.getBuiltinModule('node:http');

const current = new AsyncLocalStorage<string | undefined>();

/**
 * Runs an invocation with its trace header, which goes with every message that it sends.
 *
 * In Lambda, the AWS SDK does that: it reads the trace from a variable, and knows Lambda by another. Here invocations
 * share their variables, and functions refuse local settings where the second one is set.
 */
export function runInTrace<T>(trace: string | undefined, run: () => T): T {
  return current.run(trace, run);
}

subscribe('http.client.request.created', (message) => {
  const trace = current.getStore();
  if (trace === undefined || typeof message !== 'object' || message === null || !('request' in message))
    return;
  const { request } = message;
  if (!(request instanceof ClientRequest)) return;
  const sendsMessages = String(request.getHeader('x-amz-target')).startsWith('AmazonSQS.SendMessage');
  if (sendsMessages) request.setHeader('x-amzn-trace-id', trace);
});

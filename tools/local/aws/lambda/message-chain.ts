import type { SQSEvent } from 'aws-lambda';
import type { LambdaFunction } from './lambda-function.ts';
import type { InvokeResult } from './protocol.ts';

/** How often a chain of messages has invoked each function, by the name of the function. */
type Chain = ReadonlyMap<string, number>;

/**
 * Lambda stops a chain that has invoked a function about this often, unless the function allows it.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
const maxInvocations = 16;

/**
 * Invokes a function with a batch of messages. The messages that it sends continue the chain, which Lambda counts in the
 * `Lineage` of their trace header. A chain that is too long is a function error: its messages return to the queue, and
 * move to the dead-letter queue in the end.
 */
export async function invokeInChain(
  target: Pick<LambdaFunction, 'model' | 'invoke'>,
  event: SQSEvent,
  onStopped: (reason: string) => void,
): Promise<InvokeResult> {
  const { name, allowsLoops } = target.model;
  const chain = longest(event.Records.map(({ attributes }) => chainOf(attributes.AWSTraceHeader)));
  const invocations = chain.get(name) ?? 0;
  if (invocations >= maxInvocations && !allowsLoops) {
    const errorMessage = `A chain of messages has invoked the function ${invocations} times: Lambda stops it`;
    onStopped(`RecursiveInvocationException: ${errorMessage}`);
    return { ok: false, errorType: 'RecursiveInvocationException', errorMessage };
  }
  const trace = headerOf(new Map([...chain, [name, invocations + 1]]));
  return await target.invoke(event, event.Records.length, trace);
}

/** It is not documented how Lambda counts a batch, so the longest chain of its messages counts. */
function longest(chains: readonly Chain[]): Chain {
  const result = new Map<string, number>();
  for (const [name, count] of chains.flatMap((chain) => [...chain])) {
    result.set(name, Math.max(count, result.get(name) ?? 0));
  }
  return result;
}

function chainOf(header = ''): Chain {
  const lineage = /(?:^|;)Lineage=([^;]*)/.exec(header)?.[1] ?? '';
  const counts = lineage.matchAll(/([^:|]+):(\d+)/g);
  return new Map([...counts].map(([, name = '', count]) => [name, Number(count)]));
}

function headerOf(chain: Chain): string {
  return `Lineage=${[...chain].map(([name, count]) => `${name}:${count}`).join('|')}`;
}

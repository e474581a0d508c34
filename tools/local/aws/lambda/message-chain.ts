import type { SQSEvent } from 'aws-lambda';
import type { LambdaFunction } from './lambda-function.ts';
import type { InvokeResult } from './protocol.ts';

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
  const chain = chainOf(event);
  const invocations = chain.get(name) ?? 0;
  if (invocations >= maxInvocations && !allowsLoops) {
    const errorMessage = `A chain of messages has invoked the function ${invocations} times: Lambda stops it`;
    onStopped(`RecursiveInvocationException: ${errorMessage}`);
    return { ok: false, errorType: 'RecursiveInvocationException', errorMessage };
  }
  const lineage = [...chain.set(name, invocations + 1)].map(([each, count]) => `${each}:${count}`);
  return await target.invoke(event, event.Records.length, `Lineage=${lineage.join('|')}`);
}

/**
 * How often a chain of messages has invoked each function, by the name of the function. It is not documented how Lambda
 * counts a batch, so the longest chain of its messages counts.
 */
function chainOf({ Records }: SQSEvent): Map<string, number> {
  const chain = new Map<string, number>();
  for (const { attributes } of Records) {
    const [, lineage = ''] = /(?:^|;)Lineage=([^;]*)/.exec(attributes.AWSTraceHeader ?? '') ?? [];
    for (const [, name = '', count] of lineage.matchAll(/([^:|]+):(\d+)/g))
      chain.set(name, Math.max(Number(count), chain.get(name) ?? 0));
  }
  return chain;
}

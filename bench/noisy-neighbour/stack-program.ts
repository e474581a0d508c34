import { rm } from 'node:fs/promises';
import { type RunningStack, startStack } from '../../local/stack/start.ts';
import { teachFairOrder } from './fair-emulator.ts';
import { orderMessage, type ReadyMessage, type StackMessage, stackArguments } from './stack-messages.ts';

// The local stack, in a process of its own, that ends and cleans up when the benchmark ends, however that happens.

const { stateDir, trustedOrigin } = stackArguments.parse(JSON.parse(process.argv[2] ?? '{}'));
// A Ctrl-C in the terminal reaches both processes; this one has to outlive the other to clean up.
process.on('SIGINT', () => undefined);
const chooseOrder = await teachFairOrder(() => performance.now());
const stack = await startStack({
  port: 0,
  stateDir,
  stackFile: null,
  trustedOrigins: [trustedOrigin],
  // Slow deliveries are in flight whenever it ends.
  drainMs: 500,
});
process.once('disconnect', () => {
  end(stack).then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
process.on('message', (message) => {
  chooseOrder(orderMessage.parse(message).order);
  tell({ kind: 'ordered' });
});
await stack.warm;
tell(ready(stack));

async function end(running: RunningStack): Promise<void> {
  await running.close();
  await rm(stateDir, { recursive: true, force: true });
}

function tell(message: StackMessage): void {
  process.send?.(message);
}

function ready({ info, model }: RunningStack): ReadyMessage {
  const queue = model.queues.find(({ url }) => url === info.delivery_queue_url);
  const mapping = model.mappings.find(({ queueArn }) => queueArn === queue?.arn);
  if (mapping?.maximumConcurrency === undefined) {
    throw new Error('Cannot compare with a deployment: the template does not bound its delivery functions');
  }
  const { maximumConcurrency, batchSize } = mapping;
  return { kind: 'ready', info, maximumConcurrency, batchSize };
}

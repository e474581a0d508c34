import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { QueueOrder } from './fair-emulator.ts';
import { type ReadyMessage, type StackMessage, stackMessage } from './stack-messages.ts';

export type BenchStack = ReadyMessage & {
  readonly chooseOrder: (order: QueueOrder) => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * Starts the local stack in a process of its own, so that it does not share a thread with what measures it.
 *
 * @throws Error when it ends before it is ready; what it had to say is on standard error
 */
export async function startBenchStack(request: {
  readonly stateDir: string;
  readonly trustedOrigin: string;
}): Promise<BenchStack> {
  const child = fork(new URL('./stack-program.ts', import.meta.url), [JSON.stringify(request)]);
  const ready = await answerOf(child, 'ready');
  return {
    ...ready,
    chooseOrder: async (order) => {
      const ordered = answerOf(child, 'ordered');
      child.send({ order });
      await ordered;
    },
    close: async () => {
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

async function answerOf<K extends StackMessage['kind']>(
  child: ChildProcess,
  kind: K,
): Promise<Extract<StackMessage, { kind: K }>> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The local stack ended with code ${code}`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  const answer = stackMessage.parse(message);
  if (!isKind(answer, kind)) throw new Error(`The local stack said "${answer.kind}", expected "${kind}"`);
  return answer;
}

function isKind<K extends StackMessage['kind']>(
  message: StackMessage,
  kind: K,
): message is Extract<StackMessage, { kind: K }> {
  return message.kind === kind;
}

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeId } from '#shared/domain/ids.ts';
import type { StackFile } from '../../tools/local/stack/stack-file.ts';
import { exampleMessage } from '../../tools/operator/emit/example-messages.ts';
import { sendToIntake } from '../support/stack/stack-customer.ts';

/** A settled Run whose message the intake queue must accept. */
export type SettledRun = {
  readonly customerId: string;
  readonly runId: string;
  /** When its message was first sent; epoch milliseconds. */
  readonly firstSentAt: number;
};

const sendTimeoutMs = 3_000;
const pauseMs = 500;

/**
 * Settles a Run at each interval, for one customer after the other. Like a real Run engine, it sends a message until the
 * queue accepts it. It cannot know which tries arrived, so some messages arrive twice.
 *
 * @param given.stack the running stack; `null` while none runs
 */
export function startRunEngine(given: {
  readonly stack: () => StackFile | null;
  readonly customerIds: readonly string[];
  readonly everyMs: number;
}) {
  const customers = [...given.customerIds];
  const accepted: SettledRun[] = [];
  const sending: Promise<void>[] = [];
  let isAbandoned = false;
  const settleRun = async (customerId: string, at: number): Promise<void> => {
    const run = makeId('run', at, randomBytes(10));
    const message = exampleMessage('run.settled', { customer: customerId, run }, at, randomBytes);
    while (!(await isAccepted(given.stack(), message))) {
      if (isAbandoned) return;
      await sleep(pauseMs);
    }
    accepted.push({ customerId, runId: run, firstSentAt: at });
  };
  const timer = setInterval(() => {
    const customerId = customers[sending.length % customers.length];
    if (customerId !== undefined) sending.push(settleRun(customerId, Date.now()));
  }, given.everyMs);
  /** Stops making Runs. Resolves when every message is accepted. */
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    await Promise.all(sending);
  };
  return {
    /** Runs whose message the queue has accepted. */
    accepted,
    /** From now on Runs settle for this customer as well. */
    addCustomer: (id: string): void => void customers.push(id),
    stop,
    /** Stops at once, without the messages that were not accepted. */
    abandon: async (): Promise<void> => {
      isAbandoned = true;
      await stop();
    },
  };
}

async function isAccepted(stack: StackFile | null, message: object): Promise<boolean> {
  if (stack === null) return false;
  const sent = sendToIntake(stack, message, AbortSignal.timeout(sendTimeoutMs));
  return await sent.then(
    () => true,
    () => false,
  );
}

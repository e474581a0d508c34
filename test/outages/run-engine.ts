import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeId } from '#shared/domain/ids.ts';
import { createServiceClient } from '../../local/stack/service-client.ts';
import type { StackFile } from '../../local/stack/stack-file.ts';
import { exampleMessage } from '../../operator/example-messages.ts';

/** A settled Run whose message the intake queue must accept. */
export type SettledRun = {
  readonly customerId: string;
  readonly runId: string;
  /** When its message was first sent; epoch milliseconds. */
  readonly firstSentAt: number;
};

export type RunEngineOptions = {
  /** The running stack; `null` while none runs. */
  readonly stack: () => StackFile | null;
  readonly customerIds: readonly string[];
  /** Milliseconds between Runs. */
  readonly everyMs: number;
};

const sendPatienceMs = 3_000;
const pauseMs = 500;

/**
 * Settles a Run at each interval, for one customer after the other. Like a real Run engine, it sends a message until the
 * queue accepts it. It cannot know which tries arrived, so some messages arrive twice.
 */
export class RunEngine {
  readonly #options: RunEngineOptions;
  readonly #customerIds: string[];
  readonly #sending: Promise<void>[] = [];
  readonly #accepted: SettledRun[] = [];
  #timer: NodeJS.Timeout | null = null;
  #settled = 0;
  #abandoned = false;

  constructor(options: RunEngineOptions) {
    this.#options = options;
    this.#customerIds = [...options.customerIds];
  }

  /** Runs whose message the queue has accepted. */
  get accepted(): readonly SettledRun[] {
    return this.#accepted;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#settle(), this.#options.everyMs);
  }

  /** From now on Runs settle for this customer as well. */
  addCustomer(id: string): void {
    this.#customerIds.push(id);
  }

  /** Stops making Runs. Resolves when every message is accepted. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await Promise.all(this.#sending);
  }

  /** Stops at once, without the messages that were not accepted. */
  async abandon(): Promise<void> {
    this.#abandoned = true;
    await this.stop();
  }

  #settle(): void {
    const customerId = this.#customerIds[this.#settled % this.#customerIds.length];
    this.#settled += 1;
    if (customerId !== undefined) this.#sending.push(this.#send(customerId, Date.now()));
  }

  async #send(customer: string, at: number): Promise<void> {
    const run = makeId('run', at, randomBytes(10));
    const message = exampleMessage('run.settled', { customer, run }, at, randomBytes);
    while (!(await this.#isAccepted(message))) {
      if (this.#abandoned) return;
      await sleep(pauseMs);
    }
    this.#accepted.push({ customerId: customer, runId: run, firstSentAt: at });
  }

  async #isAccepted(message: object): Promise<boolean> {
    const stack = this.#options.stack();
    if (stack === null) return false;
    const { call, close } = createServiceClient('sqs', stack.endpoints.sqs);
    const input = { QueueUrl: stack.intake_queue_url, MessageBody: JSON.stringify(message) };
    return await call('SendMessage', input, { signal: AbortSignal.timeout(sendPatienceMs) })
      .then(
        () => true,
        () => false,
      )
      .finally(close);
  }
}

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeId } from '#shared/domain/ids.ts';
import { createServiceClient } from '../../local/stack/service-client.ts';
import type { StackFile } from '../../local/stack/stack-file.ts';
import { exampleMessage } from '../../operator/example-messages.ts';

/** A Run that settled, and that the intake queue has to take. */
export type SettledRun = {
  readonly customerId: string;
  readonly runId: string;
  /** When it was first offered to the queue, epoch milliseconds. */
  readonly firstSentAt: number;
};

export type RunEngineOptions = {
  /** The stack as it is now; `null` while none runs. */
  readonly stack: () => StackFile | null;
  readonly customerIds: readonly string[];
  /** Milliseconds from one Run to the next. */
  readonly everyMs: number;
};

const sendPatienceMs = 3_000;
const pauseMs = 500;

/**
 * Lets a Run settle every so often, for one customer after the other. What the queue does not accept is sent again
 * until it does, as a Run engine has to: which tries arrived is not known, so some arrive twice.
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

  /** No Run settles any more. Resolves when every message is accepted. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await Promise.all(this.#sending);
  }

  /** The same without waiting for what was not accepted. */
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

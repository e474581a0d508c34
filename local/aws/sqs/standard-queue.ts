import { randomUUID } from 'node:crypto';
import type { EmulatorMessage, EmulatorQueue } from './emulator-modules.ts';
import { FairOrder } from './fair-order.ts';
import { FairShare, type MessageGroup } from './fair-share.ts';
import { MinHeap } from './min-heap.ts';
import { PollWaiters } from './poll-waiters.ts';
import { type RedrivePolicy, redrivePolicyOf } from './redrive-policy.ts';

type Received = ReturnType<EmulatorQueue['dequeue']>[number];

/** What happens at a time: a delayed message, or one in flight by its receipt handle, becomes visible. */
type Due =
  | { readonly kind: 'delayed'; readonly message: EmulatorMessage }
  | { readonly kind: 'in flight'; readonly receiptHandle: string };

type InFlight = { readonly group: MessageGroup; readonly takenAt: number };

/** SQS's limit of messages per call. */
const maxReceived = 10;

/** Outdated entries are removed when there are at least this many, and three times as many as messages. */
const compactFrom = 1_000;

/**
 * The messages of a standard queue, served fairly, with timers that run only when a message becomes visible. Replaces
 * those of the emulator, which serves messages in the order of arrival and looks at all of them every 20 ms.
 */
export class StandardQueue {
  readonly #queue: EmulatorQueue;
  readonly #share = new FairShare();
  readonly #waiting = new FairOrder<EmulatorMessage>(this.#share);
  readonly #inFlight = new Map<string, InFlight>();
  readonly #waiters: PollWaiters;
  #due = new MinHeap<Due>();
  #delayed = 0;

  /** @param pollSignal aborted when the caller of the poll that starts now is gone */
  constructor(queue: EmulatorQueue, pollSignal: () => AbortSignal | undefined) {
    this.#queue = queue;
    this.#waiters = new PollWaiters({
      pollSignal,
      hasMessages: () => this.#waiting.size > 0,
      nextDue: () => this.#due.firstKey,
      onDue: () => this.processTimers(),
    });
  }

  enqueue(message: EmulatorMessage): void {
    this.#queue.persistence?.insertMessage(this.#queue.name, message);
    const { delayUntil } = message;
    if (delayUntil === undefined || delayUntil <= Date.now()) {
      this.#show(message);
      return;
    }
    this.#delayed += 1;
    this.#schedule(delayUntil, { kind: 'delayed', message });
  }

  dequeue(
    maxCount: number,
    visibilitySeconds = Number(this.#queue.attributes.VisibilityTimeout),
    findQueue?: (arn: string) => EmulatorQueue | undefined,
  ): Received[] {
    this.processTimers();
    const received: Received[] = [];
    const policy = redrivePolicyOf(this.#queue.attributes.RedrivePolicy);
    while (received.length < Math.min(maxCount, maxReceived)) {
      const message = this.#waiting.take(performance.now());
      if (message === undefined) break;
      message.approximateReceiveCount += 1;
      message.approximateFirstReceiveTimestamp ??= Date.now();
      if (!this.#isDead(message, policy, findQueue)) received.push(this.#hand(message, visibilitySeconds));
    }
    this.#waiters.wake();
    return received;
  }

  deleteMessage(receiptHandle: string): boolean {
    const message = this.#land(receiptHandle, true);
    if (message === undefined) return false;
    this.#queue.persistence?.deleteMessage(message.messageId);
    return true;
  }

  changeVisibility(receiptHandle: string, seconds: number): void {
    const entry = this.#queue.inflightMessages.get(receiptHandle);
    if (entry === undefined) return;
    if (seconds > 0) {
      entry.visibilityDeadline = Date.now() + seconds * 1_000;
      this.#schedule(entry.visibilityDeadline, { kind: 'in flight', receiptHandle });
      return;
    }
    this.#land(receiptHandle, false);
    this.#show(entry.message);
  }

  /** Shows the messages whose delay or visibility timeout has passed. */
  processTimers(): void {
    const now = Date.now();
    while ((this.#due.firstKey ?? Number.POSITIVE_INFINITY) <= now) {
      const due = this.#due.pop();
      if (due?.kind === 'delayed') {
        this.#delayed -= 1;
        this.#show(due.message);
      } else if (due !== undefined && this.#deadlineOf(due.receiptHandle) <= now) {
        const message = this.#land(due.receiptHandle, false);
        if (message !== undefined) this.#show(message);
      }
    }
  }

  /** Resolves when there may be messages, after the time, or when the poll is aborted. */
  waitForMessages(seconds: number): Promise<void> {
    return this.#waiters.wait(seconds * 1_000);
  }

  cancelWaiters(): void {
    this.#waiters.cancel();
  }

  purge(): void {
    this.#waiting.clear();
    this.#due.clear();
    this.#delayed = 0;
    for (const handle of [...this.#inFlight.keys()]) this.#land(handle, false);
    this.#queue.persistence?.deleteQueueMessages(this.#queue.name);
  }

  /** Number of waiting or delayed messages. */
  count(kind: 'waiting' | 'delayed'): number {
    return kind === 'waiting' ? this.#waiting.size : this.#delayed;
  }

  #show(message: EmulatorMessage): void {
    this.#waiting.add(groupOf(message), message);
    this.#waiters.wake();
  }

  #isDead(
    message: EmulatorMessage,
    policy: RedrivePolicy,
    findQueue: ((arn: string) => EmulatorQueue | undefined) | undefined,
  ): boolean {
    if (policy === null || message.approximateReceiveCount <= policy.maxReceiveCount) return false;
    const deadLetters = findQueue?.(policy.deadLetterTargetArn);
    if (deadLetters === undefined) return false;
    this.#queue.persistence?.deleteMessage(message.messageId);
    deadLetters.enqueue(message);
    return true;
  }

  #hand(message: EmulatorMessage, visibilitySeconds: number): Received {
    const receiptHandle = randomUUID();
    const visibilityDeadline = Date.now() + visibilitySeconds * 1_000;
    this.#queue.inflightMessages.set(receiptHandle, { message, receiptHandle, visibilityDeadline });
    const group = groupOf(message);
    this.#inFlight.set(receiptHandle, { group, takenAt: performance.now() });
    this.#share.take(group);
    this.#schedule(visibilityDeadline, { kind: 'in flight', receiptHandle });
    const { messageId, approximateReceiveCount, approximateFirstReceiveTimestamp } = message;
    this.#queue.persistence?.updateMessageInflight(
      messageId,
      receiptHandle,
      visibilityDeadline,
      approximateReceiveCount,
      approximateFirstReceiveTimestamp,
    );
    return receivedMessage(message, receiptHandle);
  }

  /** Ends the flight of a message. */
  #land(receiptHandle: string, isDone: boolean): EmulatorMessage | undefined {
    const entry = this.#queue.inflightMessages.get(receiptHandle);
    const flight = this.#inFlight.get(receiptHandle);
    if (entry === undefined || flight === undefined) return undefined;
    this.#queue.inflightMessages.delete(receiptHandle);
    this.#inFlight.delete(receiptHandle);
    if (isDone) this.#share.finish(flight.group, flight.takenAt, performance.now());
    else this.#share.giveBack(flight.group);
    return entry.message;
  }

  #schedule(at: number, due: Due): void {
    this.#due.push(at, due);
    if (this.#due.size >= compactFrom && this.#due.size > 3 * (this.#inFlight.size + this.#delayed)) {
      this.#dropOutdated();
    }
    this.#waiters.rearm();
  }

  /** Deleted messages leave their timer behind. */
  #dropOutdated(): void {
    const kept = new MinHeap<Due>();
    for (let at = this.#due.firstKey; at !== undefined; at = this.#due.firstKey) {
      const due = this.#due.pop();
      if (due === undefined) break;
      if (due.kind === 'delayed' || this.#deadlineOf(due.receiptHandle) <= at) kept.push(at, due);
    }
    this.#due = kept;
  }

  #deadlineOf(receiptHandle: string): number {
    return this.#queue.inflightMessages.get(receiptHandle)?.visibilityDeadline ?? Number.POSITIVE_INFINITY;
  }
}

function groupOf({ messageGroupId }: EmulatorMessage): MessageGroup {
  return messageGroupId ?? null;
}

function receivedMessage(message: EmulatorMessage, receiptHandle: string): Received {
  const { messageId, md5OfBody, body, md5OfMessageAttributes, messageAttributes } = message;
  return {
    MessageId: messageId,
    ReceiptHandle: receiptHandle,
    MD5OfBody: md5OfBody,
    Body: body,
    ...(md5OfMessageAttributes && { MD5OfMessageAttributes: md5OfMessageAttributes }),
    ...(Object.keys(messageAttributes).length > 0 && { MessageAttributes: messageAttributes }),
  };
}

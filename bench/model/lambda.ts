import { lambda } from '../prices.ts';

/** Lambda gives one vCPU at this memory, and a share of it in proportion below. One thread uses no more than one. */
const fullCpuMb = 1_769;

/** What an invocation does with the messages of its batch. Milliseconds; CPU at one full vCPU. */
export type Work = {
  readonly cpuPerInvocation: number;
  readonly cpuPerMessage: number;
  /** Waiting for other services and the receiver. The messages of a batch wait at the same time. */
  readonly wait: number;
};

/** Milliseconds that work of `cpuMs` at one full vCPU lasts with this memory. */
export function cpuTime(memoryMb: number, cpuMs: number): number {
  return (cpuMs * fullCpuMb) / Math.min(memoryMb, fullCpuMb);
}

/**
 * Billed milliseconds of an invocation with `messages` messages. Waiting and computing count one after the other; in a
 * large batch they overlap, so the figure is an upper bound.
 */
export function durationMs(memoryMb: number, work: Work, messages: number): number {
  return Math.ceil(work.wait + cpuTime(memoryMb, work.cpuPerInvocation + messages * work.cpuPerMessage));
}

/** Gigabyte-milliseconds of each message of a batch. */
export function gbMsPerMessage(memoryMb: number, work: Work, messages: number): number {
  return ((memoryMb / 1_024) * durationMs(memoryMb, work, messages)) / messages;
}

/** US dollars of Lambda for each message of a batch: its share of the request and of the memory. */
export function lambdaUsd(memoryMb: number, work: Work, messages: number): number {
  return lambda.request / messages + (gbMsPerMessage(memoryMb, work, messages) / 1_000) * lambda.gbSecond;
}

/** Functions that run at once on average, at `rate` messages a second in batches of `messages`. */
export function functionsBusy(memoryMb: number, work: Work, messages: number, rate: number): number {
  return (rate * durationMs(memoryMb, work, messages)) / 1_000 / messages;
}

export type BatchLimits = {
  readonly memoryMb: number;
  readonly work: Work;
  readonly batchSize: number;
  /** Functions that may run at once. */
  readonly functions: number;
};

/**
 * Messages in a batch without a batch window. A free poller takes a single message at once, so a batch fills only when
 * every function is busy: then to what lets them keep up.
 *
 * @returns `batchSize` also when even full batches do not keep up
 */
export function batchWithoutWindow(
  { memoryMb, work, batchSize, functions }: BatchLimits,
  rate: number,
): number {
  for (let messages = 1; messages < batchSize; messages += 1) {
    if (functionsBusy(memoryMb, work, messages, rate) <= functions) return messages;
  }
  return batchSize;
}

export type Window = {
  readonly batchSize: number;
  readonly windowMs: number;
  /** Each poller collects a batch of its own. */
  readonly pollers: number;
};

/**
 * Messages in a batch with a batch window, and the mean milliseconds that a message waits for it. The window begins
 * with the first message and ends early when the batch is full.
 */
export function batchWithWindow(
  { batchSize, windowMs, pollers }: Window,
  rate: number,
): { readonly messages: number; readonly delayMs: number } {
  const perMs = rate / 1_000 / pollers;
  const openMs = Math.min(windowMs, (batchSize - 1) / perMs);
  const messages = 1 + perMs * openMs;
  // The first message waits for the whole window, the others for half of it on average.
  return { messages, delayMs: (openMs * (1 + (messages - 1) / 2)) / messages };
}

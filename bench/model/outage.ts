import { cloudwatch, dynamodb, scheduler, sqs } from '../prices.ts';
import { logBytes, timeoutMs, timeoutWork } from './assumptions.ts';
import { functionsBusy, gbMsPerMessage, lambdaUsd } from './lambda.ts';

/** An endpoint that answers nothing for a while, so that each attempt ends at its time limit. */
export type Outage = {
  /** Events a second for this endpoint. */
  readonly rate: number;
  readonly seconds: number;
};

/** Seconds from an attempt to the next one: the retry plan. */
const retryAfter = [600, 3_000] as const;

export type OutageAttempts = {
  readonly failed: number;
  /** Attempts that each began with a retry timer. */
  readonly timers: number;
  /** Failed attempts a second while first and second attempts overlap. */
  readonly peakRate: number;
  /** Writes to the index of waiting deliveries. */
  readonly indexWrites: number;
  /** Deliveries that wait for their next attempt when the outage ends. */
  readonly waiting: number;
};

/** The attempts of the events that arrive during an outage. */
export function outageAttempts({ rate, seconds }: Outage): OutageAttempts {
  const [first, second] = retryAfter;
  // Seconds of events whose first, second and third attempt fall into the outage.
  const failing = [seconds, Math.max(0, seconds - first), Math.max(0, seconds - first - second)] as const;
  return {
    failed: rate * (failing[0] + failing[1] + failing[2]),
    timers: rate * (failing[0] + failing[1]),
    peakRate: rate * failing.filter((part) => part > 0).length,
    // Each delivery enters the index and leaves it; a second failure moves it, which is two writes.
    indexWrites: rate * 2 * (failing[0] + failing[1]),
    waiting: rate * (Math.min(failing[0], first) + Math.min(failing[1], second)),
  };
}

/** Functions that make the attempts, in batches that are this full. */
export type Lane = { readonly memoryMb: number; readonly batch: number };

/** US dollars of all failed attempts and their retries. */
export type OutageBill = {
  readonly memory: number;
  readonly requests: number;
  readonly writes: number;
  readonly sqs: number;
  readonly timers: number;
  readonly logs: number;
};

/** A claim and a record. */
const tableWrites = 2;

export function outageBill(outage: Outage, { memoryMb, batch }: Lane): OutageBill {
  const { failed, timers, indexWrites } = outageAttempts(outage);
  const whole = lambdaUsd(memoryMb, timeoutWork, batch);
  const requests = lambdaUsd(memoryMb, { cpuPerInvocation: 0, cpuPerMessage: 0, wait: 0 }, batch);
  return {
    memory: failed * (whole - requests),
    requests: failed * requests,
    writes: (failed * tableWrites + indexWrites) * dynamodb.onDemand.writeUnit,
    // Sent singly by Scheduler; received and deleted in batches.
    sqs: failed * (1 + 2 / batch) * (sqs.request + sqs.fairRequest),
    timers: timers * scheduler.invocation,
    logs: failed * logBytes.attempt * cloudwatch.logByte,
  };
}

/** Functions that the peak of an outage occupies. */
export function outageFunctions(outage: Outage, { memoryMb, batch }: Lane): number {
  return functionsBusy(memoryMb, timeoutWork, batch, outageAttempts(outage).peakRate);
}

/** The smallest batches with which `functions` keep up with the peak. */
export function batchThatKeepsUp(outage: Outage, memoryMb: number, functions: number): number {
  for (let batch = 1; ; batch += 1) {
    if (outageFunctions(outage, { memoryMb, batch }) <= functions) return batch;
  }
}

export function outageGbMs({ memoryMb, batch }: Lane): number {
  return gbMsPerMessage(memoryMb, timeoutWork, batch);
}

/** How Lambda adds functions while messages wait. */
const scaling = { first: 5, perSecond: 5 } as const;

/** Messages that wait at the worst moment before enough functions run, and the seconds until then. */
export function startOfOutage(
  { rate }: Outage,
  batchSize: number,
): { readonly backlog: number; readonly seconds: number } {
  const perFunction = (batchSize * 1_000) / timeoutMs;
  const lacking = Math.max(0, rate - scaling.first * perFunction);
  const perSecond = scaling.perSecond * perFunction;
  return { backlog: lacking ** 2 / (2 * perSecond), seconds: lacking / perSecond };
}

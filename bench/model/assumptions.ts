import type { Work } from './lambda.ts';

/**
 * Milliseconds that AWS services take, as its documentation and public measurements suggest: nothing here was measured
 * on AWS. CPU is in milliseconds of one full vCPU, as `npm run bench -- pipeline` measured it: with one message in each
 * batch 3.5 for an event at the intake and 3.8 for an attempt, with nine 1.0 and 1.2.
 */
const service = { read: 4, write: 6, send: 10 } as const;

/** Milliseconds until a receiver has answered. */
const receiverMs = 200;

/** Time limit of an attempt, in milliseconds. */
export const timeoutMs = 10_000;

/** One event: its endpoints are read, its Run and its delivery stored, its first attempt queued. */
export const intakeWork: Work = {
  cpuPerInvocation: 2.8,
  cpuPerMessage: 0.7,
  wait: service.read + 2 * service.write + service.send,
};

/** One attempt: its endpoint is read, the attempt claimed, sent and recorded. */
export const deliverWork: Work = attemptOf(receiverMs);

/** An attempt that ends at the time limit. */
export const timeoutWork: Work = attemptOf(timeoutMs);

/** Share of an attempt's CPU before its POST leaves. */
export const cpuBeforePost = 0.6;

function attemptOf(answerMs: number): Work {
  return {
    cpuPerInvocation: 2.9,
    cpuPerMessage: 0.9,
    wait: service.read + service.write + answerMs + service.write,
  };
}

/** An API request: its key is read, counted, and one record read. */
export const requestWork: Work = {
  cpuPerInvocation: 0,
  cpuPerMessage: 3,
  wait: 2 * service.read + service.write,
};

/** Messages of items: parsing a megabyte, and for each item a conditional put and its share of a batch of puts. */
export const largeMessage = {
  itemBytes: 400,
  parseCpu: 100,
  itemCpu: 0.5,
  /** Bytes of an invocation's payload, which bounds a batch. */
  payload: 6_000_000,
  /** A message grows when it becomes a JSON string in the payload. */
  escaped: 1.15,
} as const;

/** Capacity units of an event that one endpoint acknowledges at once. */
export const eventUnits = {
  /** Run, delivery, claim and record. */
  tableWrites: 4,
  /** The Run's entry in the index that lists Runs. */
  listedWrites: 1,
  /** Live endpoints of the customer: 1. The endpoint before its attempts: 1 for each batch. */
  readsPerEvent: 1,
  readsPerDeliveryBatch: 1,
} as const;

/** Bytes that CloudWatch bills for each line beside its text. */
export const logLineOverhead = 26;

/**
 * Billed bytes of log lines: one for each attempt, one for each batch of the intake with a part for each event, one for
 * each request to the API, and Lambda's own start and report of an invocation. `metrics` is the part of an attempt's
 * line that CloudWatch needs for metrics only.
 */
export const logBytes = {
  attempt: 1_345,
  metrics: 700,
  intakeBatch: 410,
  intakeEvent: 180,
  request: 625,
  invocation: 390,
} as const;

/** Bytes that leave AWS with a POST: TLS, headers, and a body of 500 bytes. */
export const postBytes = 2_200;

/** Bytes of a stored event: the Run and the delivery, with their keys and the overhead of DynamoDB. */
export const storedBytes = 1_600;

/** How long, in seconds, a delivery function keeps a secret that KMS decrypted for it, and how many it keeps. */
export const secretCache = { seconds: 300, entries: 10_000 } as const;

import { cloudwatch, dynamodb, internet, kms, sqs } from '../prices.ts';
import {
  deliverWork,
  eventUnits,
  intakeWork,
  logBytes,
  postBytes,
  secretCache,
  storedBytes,
} from './assumptions.ts';
import { deployed } from './deployed.ts';
import { functionsBusy, lambdaUsd } from './lambda.ts';
import type { TableLoad } from './table-capacity.ts';

/** How events arrive: it decides how full batches are, and how often a secret is found decrypted. */
export type Traffic = {
  /** Events a second. */
  readonly rate: number;
  /** Messages in a batch of the intake and of the delivery queue. */
  readonly batch: number;
  readonly endpoints: number;
};

/** US dollars of one event that one endpoint acknowledges at once, without the engine's send. */
export type EventBill = {
  readonly writes: number;
  readonly reads: number;
  readonly sqs: number;
  readonly intake: number;
  readonly deliver: number;
  readonly kms: number;
  readonly logs: number;
  readonly egress: number;
  /** One month. */
  readonly storage: number;
};

export function eventBill(traffic: Traffic): EventBill {
  const { batch } = traffic;
  const { onDemand, storageGbMonth } = dynamodb;
  return {
    writes: (eventUnits.tableWrites + eventUnits.listedWrites) * onDemand.writeUnit,
    reads: readsOf(batch) * onDemand.readUnit,
    sqs: sqsUsd(batch),
    intake: lambdaUsd(deployed.intake.memoryMb, intakeWork, batch),
    deliver: lambdaUsd(deployed.deliver.memoryMb, deliverWork, batch),
    kms: decryptsPerEvent(traffic) * kms.request,
    logs: logBytesPerEvent(batch) * cloudwatch.logByte,
    egress: postBytes * internet.egressByte,
    storage: (storedBytes / 1e9) * storageGbMonth,
  };
}

export function totalOf(bill: EventBill): number {
  return Object.values(bill).reduce((sum, usd) => sum + usd, 0);
}

/** The table's load from `rate` events a second in batches of `batch`. */
export function tableLoad(rate: number, batch: number): TableLoad {
  return {
    reads: rate * readsOf(batch),
    writes: rate * eventUnits.tableWrites,
    listedWrites: rate * eventUnits.listedWrites,
    waitingWrites: 0,
  };
}

function readsOf(batch: number): number {
  return eventUnits.readsPerEvent + eventUnits.readsPerDeliveryBatch / batch;
}

/** Bytes of log lines of an event: its share of the line of its intake batch, and the line of its attempt. */
export function logBytesPerEvent(batch: number): number {
  return logBytes.intakeBatch / batch + logBytes.intakeEvent + logBytes.attempt;
}

/** SQS requests of an event: receive, delete and send at the intake, receive and delete at the delivery queue. */
export function sqsRequests(batch: number): number {
  return 5 / batch;
}

/** All but the receive and the delete at the intake carry a message group. */
function sqsUsd(batch: number): number {
  return sqsRequests(batch) * sqs.request + (3 / batch) * sqs.fairRequest;
}

/**
 * Decryptions for each event. A function keeps a secret that it has decrypted for a while. Events of an endpoint reach
 * all running functions alike, so the more functions and endpoints there are, the fewer events find the secret.
 *
 * @param seconds how long a function keeps a secret
 */
export function decryptsPerEvent(
  { rate, batch, endpoints }: Traffic,
  seconds: number = secretCache.seconds,
): number {
  const functions = Math.max(1, functionsBusy(deployed.deliver.memoryMb, deliverWork, batch, rate));
  const eventsInTime = (rate * seconds) / (endpoints * functions);
  const kept = Math.min(1, secretCache.entries / endpoints);
  return 1 - (kept * eventsInTime) / (1 + eventsInTime);
}

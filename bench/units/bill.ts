import type { InvocationRecord } from '../../local/aws/lambda/invocation-record.ts';
import * as prices from '../prices.ts';
import { type AwsCall, totalUnits } from './aws-call.ts';

/** Everything that AWS bills for some events. */
export type Usage = {
  /** Without the calls of the Run engine, empty receives and calls outside the pipeline. */
  readonly calls: readonly AwsCall[];
  readonly invocations: readonly Pick<InvocationRecord, 'durationMs' | 'memoryMegabytes'>[];
  /** Bytes that the functions wrote to their logs. */
  readonly logBytes: number;
};

/** Billed quantities for one event. */
export type Units = {
  readonly writeUnits: number;
  /** Part of the write units. */
  readonly indexUnits: number;
  /** Part of the write units: consumed by writes that a condition refused. */
  readonly refusedUnits: number;
  readonly readUnits: number;
  readonly tableCalls: number;
  readonly sqsRequests: number;
  readonly invocations: number;
  readonly gbMs: number;
  readonly schedules: number;
  readonly kmsCalls: number;
  readonly logBytes: number;
};

export function unitsPerEvent({ calls, invocations, logBytes }: Usage, events: number): Units {
  const per = (total: number) => total / events;
  const sum = (of: (call: AwsCall) => number) => per(calls.reduce((total, call) => total + of(call), 0));
  const requestsOf = (service: AwsCall['service']) =>
    sum((call) => (call.service === service ? call.requests : 0));
  return {
    writeUnits: sum(({ writeUnits }) => totalUnits(writeUnits)),
    indexUnits: sum(({ writeUnits }) => totalUnits(writeUnits) - (writeUnits.table ?? 0)),
    refusedUnits: sum(({ writeUnits, isRefused }) => (isRefused ? totalUnits(writeUnits) : 0)),
    readUnits: sum(({ readUnits }) => totalUnits(readUnits)),
    tableCalls: requestsOf('dynamodb'),
    sqsRequests: requestsOf('sqs'),
    invocations: per(invocations.length),
    gbMs: per(invocations.reduce((total, invocation) => total + billedGbMs(invocation), 0)),
    schedules: requestsOf('scheduler'),
    kmsCalls: requestsOf('kms'),
    logBytes: per(logBytes),
  };
}

/** Lambda bills whole milliseconds of the memory that the function is given. */
function billedGbMs({ durationMs, memoryMegabytes }: Usage['invocations'][number]): number {
  return (Math.ceil(durationMs) * memoryMegabytes) / 1_024;
}

/** The parts of a bill, in the order of the tables. */
export const components = [
  'DynamoDB writes',
  'DynamoDB reads',
  'SQS',
  'Lambda requests',
  'Lambda time',
  'Scheduler',
  'KMS',
  'logs',
] as const;

export type Component = (typeof components)[number];
export type Bill = Readonly<Record<Component, number>>;

/** US dollars for a million events. */
export function billPerMillion(units: Partial<Units>): Bill {
  const of = (count: number | undefined, price: number) => (count ?? 0) * price * 1_000_000;
  return {
    'DynamoDB writes': of(units.writeUnits, prices.dynamodb.onDemand.writeUnit),
    'DynamoDB reads': of(units.readUnits, prices.dynamodb.onDemand.readUnit),
    SQS: of(units.sqsRequests, prices.sqs.request + prices.sqs.fairRequest),
    'Lambda requests': of(units.invocations, prices.lambda.request),
    'Lambda time': of((units.gbMs ?? 0) / 1_000, prices.lambda.gbSecond),
    Scheduler: of(units.schedules, prices.scheduler.invocation),
    KMS: of(units.kmsCalls, prices.kms.request),
    logs: of(units.logBytes, prices.cloudwatch.logByte),
  };
}

export function total(bill: Bill): number {
  return Object.values(bill).reduce((sum, dollars) => sum + dollars, 0);
}

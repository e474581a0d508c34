import { type AwsCall, totalUnits } from './aws-call.ts';

/** List prices in US dollars for a million; docs/scaling.md has their sources. */
const prices = {
  writeUnit: 0.625,
  readUnit: 0.125,
  /** With the addition for message groups. */
  sqs: 0.5,
  lambda: 0.2,
  kms: 3,
  /** A schedule costs nothing until it fires; then it also sends a message. */
  scheduler: 1 + 0.5,
  /** On demand, DynamoDB bills units alone. */
  dynamodb: 0,
} as const;

/** US dollars for a million GB-seconds on arm64. */
export const usdOfMemory = 13.3334;

/** US dollars for a million bytes of log. */
export const usdOfLogs = 0.0005;

/** A call of a service, or an invocation of a function. */
export type PricedCall = Omit<AwsCall, 'service' | 'caller'> & {
  readonly service: AwsCall['service'] | 'lambda';
};

/** US dollars for a million of these calls, without the time of functions and their logs. */
export function usdOfCalls(calls: readonly PricedCall[]): number {
  const sum = (of: (call: PricedCall) => number) => calls.reduce((total, call) => total + of(call), 0);
  return (
    sum(({ writeUnits }) => totalUnits(writeUnits)) * prices.writeUnit +
    sum(({ readUnits }) => totalUnits(readUnits)) * prices.readUnit +
    sum(({ service, requests }) => requests * prices[service])
  );
}

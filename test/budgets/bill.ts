import { totalUnits } from '../../tools/bench/meter/aws-call.ts';
import { usdOfCalls } from '../../tools/bench/meter/prices.ts';
import type { FunctionCall } from './budget-world.ts';

/** What some calls consume. */
export type Bill = {
  readonly requests: number;
  readonly writeUnits: number;
  /** Part of the write units. */
  readonly indexUnits: number;
  readonly readUnits: number;
  readonly sqsRequests: number;
  readonly schedules: number;
  /** US dollars for a million of these calls, without the time of functions and their logs. */
  readonly usd: number;
};

export function billOf(calls: readonly FunctionCall[]): Bill {
  const sum = (of: (call: FunctionCall) => number) => calls.reduce((total, call) => total + of(call), 0);
  const requestsTo = (service: FunctionCall['service']) =>
    sum((call) => (call.service === service ? call.requests : 0));
  const writeUnits = sum((call) => totalUnits(call.writeUnits));
  const readUnits = sum((call) => totalUnits(call.readUnits));
  return {
    requests: sum((call) => call.requests),
    writeUnits,
    indexUnits: writeUnits - sum((call) => call.writeUnits.table ?? 0),
    readUnits,
    sqsRequests: requestsTo('sqs'),
    schedules: requestsTo('scheduler'),
    usd: usdOfCalls(calls),
  };
}

import { type AwsCall, totalUnits } from '../units/aws-call.ts';

/** Capacity units that calls consumed on the table and its indexes, refused writes included. */
export type Capacity = { readonly read: number; readonly write: number };

export function capacityOf(calls: readonly AwsCall[]): Capacity {
  const sum = (unitsOf: (call: AwsCall) => number) => calls.reduce((total, call) => total + unitsOf(call), 0);
  return {
    read: sum(({ readUnits }) => totalUnits(readUnits)),
    write: sum(({ writeUnits }) => totalUnits(writeUnits)),
  };
}

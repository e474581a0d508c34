import type { ServiceEndpoints } from '../../local/aws/lambda/function-environment.ts';

export type ServiceName = keyof ServiceEndpoints;

/** Capacity units by the name of the index that they were consumed on; `table` for the table itself. */
export type Units = Readonly<Record<string, number>>;

/** One call of an AWS service, as AWS bills it. */
export type AwsCall = {
  readonly service: ServiceName;
  /** Name of the function that called; `undefined` for other programs. */
  readonly caller: string | undefined;
  /** Name of the API action and what it acts on, for example `UpdateItem Delivery, claim`. */
  readonly name: string;
  readonly writeUnits: Units;
  readonly readUnits: Units;
  /** Whether the table refused the write because its condition did not hold. It is billed all the same. */
  readonly isRefused: boolean;
  /** Billed requests. SQS bills one for each 64 KB. */
  readonly requests: number;
};

export const noUnits: Units = {};

export function totalUnits(units: Units): number {
  return Object.values(units).reduce((total, count) => total + count, 0);
}

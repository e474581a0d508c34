import { cloudwatch, dynamodb, hoursPerMonth } from '../prices.ts';

/** Capacity units a second, on average. */
export type TableLoad = {
  readonly reads: number;
  /** Writes of the table itself, without its indexes. */
  readonly writes: number;
  readonly listedWrites: number;
  readonly waitingWrites: number;
};

/** Minimum units, and the percentage of the provisioned units that auto scaling wants consumed. */
export type Provisioning = { readonly min: number; readonly utilization: number };

const secondsPerMonth = hoursPerMonth * 3_600;

/** An index begins at this share of the table's minimum. */
const indexShare = 1 / 4;

/** Reads and writes of the table and its two indexes scale, each with an alarm for more and one for less. */
const scalingAlarms = 6 * 2;

/** US dollars a month. */
export function onDemandMonth({ reads, writes, listedWrites, waitingWrites }: TableLoad): number {
  const { writeUnit, readUnit } = dynamodb.onDemand;
  return secondsPerMonth * ((writes + listedWrites + waitingWrites) * writeUnit + reads * readUnit);
}

/** US dollars a month at a steady load, which auto scaling follows down to the minimum. */
export function provisionedMonth(load: TableLoad, { min, utilization }: Provisioning): number {
  const { writeUnitHour, readUnitHour } = dynamodb.provisioned;
  const indexMin = Math.ceil(min * indexShare);
  const units = (consumed: number, least: number) =>
    Math.max(least, Math.ceil((consumed * 100) / utilization));
  const writeUnits =
    units(load.writes, min) + units(load.listedWrites, indexMin) + units(load.waitingWrites, indexMin);
  const readUnits = units(load.reads, min) + 2 * indexMin;
  const perHour = writeUnits * writeUnitHour + readUnits * readUnitHour;
  return perHour * hoursPerMonth + scalingAlarms * cloudwatch.alarmMonth;
}

/** The utilization, from 0 to 1, above which a provisioned write costs less than one on demand. Reads have the same. */
export function breakEvenUtilization(): number {
  return dynamodb.provisioned.writeUnitHour / (3_600 * dynamodb.onDemand.writeUnit);
}

/** The steady rate, in events a second, from which provisioned capacity costs less. */
export function breakEvenRate(loadAt: (rate: number) => TableLoad, provisioning: Provisioning): number {
  for (let rate = 0.1; rate < 1_000; rate += 0.1) {
    const load = loadAt(rate);
    if (provisionedMonth(load, provisioning) < onDemandMonth(load)) return rate;
  }
  return Number.POSITIVE_INFINITY;
}

import { Billing, Capacity } from 'aws-cdk-lib/aws-dynamodb';
import { defaultCapacity, defaultWarm, type Settings } from './settings.ts';

/** On demand, each read and write is paid; provisioned, the units that auto scaling keeps available are. */
export type TableCapacity = 'on-demand' | ProvisionedCapacity;

type ProvisionedCapacity = {
  readonly reads: CapacityBounds;
  readonly writes: CapacityBounds;
  /** Percent of the provisioned units that auto scaling wants consumed. */
  readonly utilization: number;
};

/** Units a second. Auto scaling stays between the two. */
type CapacityBounds = { readonly min: number; readonly max: number };

const pairs = [
  ['tableReadMin', 'tableReadMax'],
  ['tableWriteMin', 'tableWriteMax'],
] as const;

/** Settings that do not fit the others: bounds of on-demand capacity, and a minimum above its maximum. */
export function contradictions(given: Settings): readonly string[] {
  if (given.tableCapacity === 'on-demand') {
    return [...pairs.flat(), 'tableUtilization' as const].filter((key) => given[key] !== undefined);
  }
  return pairs.flatMap(([min, max]) => {
    const { [min]: low = defaultCapacity.min, [max]: high = defaultCapacity.max } = given;
    return low <= high ? [] : [min, max].filter((key) => given[key] !== undefined);
  });
}

export function tableCapacityOf(given: Settings): TableCapacity {
  if (given.tableCapacity === 'on-demand') return 'on-demand';
  const { min, max, utilization } = defaultCapacity;
  return {
    reads: { min: given.tableReadMin ?? min, max: given.tableReadMax ?? max },
    writes: { min: given.tableWriteMin ?? min, max: given.tableWriteMax ?? max },
    utilization: given.tableUtilization ?? utilization,
  };
}

/**
 * The listed index takes one write for four of the table. The waiting index is idle until endpoints fail, and then
 * lives on unused capacity of the last five minutes until auto scaling adds some.
 */
const indexShare = 1 / 4;

export function billingOf(capacity: TableCapacity): Billing {
  if (capacity === 'on-demand') return Billing.onDemand();
  return Billing.provisioned({
    readCapacity: scaled(capacity, capacity.reads),
    writeCapacity: scaled(capacity, capacity.writes),
  });
}

/**
 * Capacity of each index. Its maximum is the table's: a throttled index throttles the writes of the table, whatever
 * capacity the table has.
 */
export function indexCapacityOf(capacity: TableCapacity) {
  if (capacity === 'on-demand') return {};
  const { reads, writes } = capacity;
  return { readCapacity: scaled(capacity, shareOf(reads)), writeCapacity: scaled(capacity, shareOf(writes)) };
}

/** What the table and each index can take at once; nothing without the settings. */
export function warmThroughputOf({ warmReads, warmWrites }: Pick<Settings, 'warmReads' | 'warmWrites'>) {
  const { reads, writes } = defaultWarm;
  const warm = (share: number) => ({
    warmThroughput: {
      readUnitsPerSecond: Math.max(reads, Math.ceil((warmReads ?? reads) * share)),
      writeUnitsPerSecond: Math.max(writes, Math.ceil((warmWrites ?? writes) * share)),
    },
  });
  return warmReads === undefined && warmWrites === undefined
    ? { table: {}, index: {} }
    : { table: warm(1), index: warm(indexShare) };
}

function shareOf({ min, max }: CapacityBounds): CapacityBounds {
  return { min: Math.ceil(min * indexShare), max };
}

/**
 * CloudFormation refuses to change the capacity mode of a table without seeds. They apply until the scaling policies
 * exist.
 */
function scaled({ utilization }: ProvisionedCapacity, { min, max }: CapacityBounds): Capacity {
  return Capacity.autoscaled({
    minCapacity: min,
    maxCapacity: max,
    seedCapacity: min,
    targetUtilizationPercent: utilization,
  });
}

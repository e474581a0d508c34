import { defaultCapacity, type Settings } from './settings.ts';

/** On demand, each read and write is paid; provisioned, the units that auto scaling keeps available are. */
export type TableCapacity = 'on-demand' | ProvisionedCapacity;

export type ProvisionedCapacity = {
  readonly reads: CapacityBounds;
  readonly writes: CapacityBounds;
  /** Percent of the provisioned units that auto scaling wants consumed. */
  readonly utilization: number;
};

/** Units a second. Auto scaling stays between the two. */
export type CapacityBounds = { readonly min: number; readonly max: number };

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

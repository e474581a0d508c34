import * as z from 'zod';
import { numberText } from './setting-texts.ts';

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

const units = numberText.refine((count) => Number.isInteger(count) && count >= 1 && count <= 1_000_000);
const percent = numberText.refine((count) => Number.isInteger(count) && count >= 20 && count <= 90);

export const tableCapacitySettings = {
  tableCapacity: z.enum(['on-demand', 'provisioned']).default('on-demand'),
  tableReadMin: units.optional(),
  tableReadMax: units.optional(),
  tableWriteMin: units.optional(),
  tableWriteMax: units.optional(),
  tableUtilization: percent.optional(),
};

export type TableCapacitySettings = z.infer<z.ZodObject<typeof tableCapacitySettings>>;
type Key = keyof TableCapacitySettings;

/**
 * At the minimum, provisioned capacity costs what two to three events a second cost on demand. The maximum bounds the
 * bill; a new on-demand table takes as many writes. docs/scaling.md has the arithmetic.
 */
const defaults = { min: 25, max: 4_000, utilization: 70 } as const;

const bound = (other: string): string =>
  `a whole number from 1 to 1000000, ${other}, together with tableCapacity=provisioned`;

export const expectedTableCapacity: Readonly<Record<Key, string>> = {
  tableCapacity: 'on-demand or provisioned',
  tableReadMin: bound(`at most tableReadMax (default ${defaults.max})`),
  tableReadMax: bound(`at least tableReadMin (default ${defaults.min})`),
  tableWriteMin: bound(`at most tableWriteMax (default ${defaults.max})`),
  tableWriteMax: bound(`at least tableWriteMin (default ${defaults.min})`),
  tableUtilization: 'a percentage from 20 to 90, together with tableCapacity=provisioned',
};

const pairs = [
  ['tableReadMin', 'tableReadMax'],
  ['tableWriteMin', 'tableWriteMax'],
] as const;

/** Settings that do not fit the others: bounds of on-demand capacity, and a minimum above its maximum. */
export function contradictions(given: TableCapacitySettings): readonly Key[] {
  if (given.tableCapacity === 'on-demand') {
    return [...pairs.flat(), 'tableUtilization' as const].filter((key) => given[key] !== undefined);
  }
  return pairs.flatMap(([min, max]) => {
    const { [min]: low = defaults.min, [max]: high = defaults.max } = given;
    if (low <= high) return [];
    return [min, max].filter((key) => given[key] !== undefined);
  });
}

export function tableCapacityOf(given: TableCapacitySettings): TableCapacity {
  if (given.tableCapacity === 'on-demand') return 'on-demand';
  const { min, max, utilization } = defaults;
  return {
    reads: { min: given.tableReadMin ?? min, max: given.tableReadMax ?? max },
    writes: { min: given.tableWriteMin ?? min, max: given.tableWriteMax ?? max },
    utilization: given.tableUtilization ?? utilization,
  };
}

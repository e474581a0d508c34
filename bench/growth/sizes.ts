/** How much a table holds while it is measured. */
export type TableSize = {
  /** Part of the table's name. */
  readonly name: string;
  readonly title: string;
  /** Deliveries of the measured endpoint, and Runs of its customer. A multiple of 1,000. */
  readonly stored: number;
  /** Customers with an endpoint and a few deliveries each, the measured one included. */
  readonly customers: number;
};

/** The size that every other one is compared with. */
export const smallest: TableSize = { name: 'small', title: '1 thousand', stored: 1_000, customers: 1 };

const larger: readonly TableSize[] = [
  { name: 'customers', title: '10,000 customers', stored: 1_000, customers: 10_000 },
  { name: 'stored', title: '100 thousand', stored: 100_000, customers: 1 },
];

const largest: TableSize = { name: 'large', title: '1 million', stored: 1_000_000, customers: 1 };

export function tableSizes(isLarge: boolean): readonly TableSize[] {
  return [smallest, ...larger, ...(isLarge ? [largest] : [])];
}

const maxRowsOfOne = 10_000;

/** Rows in each list of a single Run, Tracker and creator: a tenth of the deliveries, 10 thousand at most. */
export const rowsOfOne = ({ stored }: TableSize): number => Math.min(stored / 10, maxRowsOfOne);

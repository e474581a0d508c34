/** How much a table holds while it is measured. */
export type TableSize = {
  readonly title: string;
  /** Deliveries of the measured endpoint, and Runs of its customer. A multiple of 1,000. */
  readonly stored: number;
};

/** The size that every other one is compared with. */
const smallest: TableSize = { title: '1 thousand', stored: 1_000 };
const larger: TableSize = { title: '100 thousand', stored: 100_000 };
const largest: TableSize = { title: '1 million', stored: 1_000_000 };

export function tableSizes(isLarge: boolean): readonly TableSize[] {
  return isLarge ? [smallest, larger, largest] : [smallest, larger];
}

const maxRowsOfOne = 10_000;

/** Rows in each list of a single Run, Tracker and creator: a tenth of the deliveries, 10 thousand at most. */
export const rowsOfOne = ({ stored }: TableSize): number => Math.min(stored / 10, maxRowsOfOne);

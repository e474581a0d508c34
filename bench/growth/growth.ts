import type { Benchmark, BenchResult, BenchTable, Plot } from '../bench.ts';
import { budgets } from '../budgets.ts';
import { median } from '../median.ts';
import type { Capacity } from './capacity.ts';
import { type Line, type Measured, measureGrowth, rounds } from './measure.ts';
import type { TableSize } from './sizes.ts';

export const growth: Benchmark = {
  name: 'growth',
  description:
    'units and time of a delivery and of every read, with 1 thousand, 100 thousand and (--large) 1 million ' +
    'stored deliveries and Runs; five minutes, with --large 20',
  isShort: false,
  run: async (context) => growthResult(await measureGrowth(context)),
};

function growthResult(measured: Measured): BenchResult {
  return {
    tables: [timeTable(measured), unitTable(measured)],
    figures: {
      largestUnitRatio: Math.max(...measured.lines.flatMap(unitRatios)),
      largestTimeRatio: Math.max(...measured.lines.flatMap(({ timed }) => timed.ratios)),
      medianTimeRatio: median(measured.lines.flatMap(({ timed }) => larger(timed.ratios))),
      storedDeliveries: Math.max(...measured.sizes.map(({ stored }) => stored)),
    },
    plots: [timePlot(measured)],
  };
}

/** The smallest table is the base of all ratios. */
const larger = <T>([, ...rest]: readonly T[]): readonly T[] => rest;

const titles = (sizes: readonly TableSize[]): readonly string[] => sizes.map(({ title }) => title);

function timeTable({ sizes, lines }: Measured): BenchTable {
  return {
    title: 'Time of a request',
    columns: [
      'Request',
      `ms, ${titles(sizes)[0]}`,
      ...larger(titles(sizes)).map((title) => `ratio, ${title}`),
    ],
    rows: lines.map(({ name, timed }) => [name, timed.medians[0] ?? null, ...larger(timed.ratios)]),
    notes: [
      'A ratio compares with the table of one customer with 1 thousand deliveries and Runs: the median over ' +
        `${rounds} rounds, in which each table answers the same request in turn.`,
      'The other tables hold 10,000 customers with a few deliveries each, or one customer with more deliveries and Runs.',
      'Time is that of the AWS client and the emulator; no AWS network is part of it.',
      'Lists of one Run, Tracker or creator have a tenth of the rows, 10 thousand at most.',
      'Pages have 25 rows. The cursor of each page is made directly; page 10,000 is the middle page where there are fewer.',
    ],
  };
}

function unitTable({ sizes, lines }: Measured): BenchTable {
  return {
    title: 'Capacity units of a request, read + write',
    columns: ['Request', ...titles(sizes), 'largest ratio'],
    rows: lines.map((line) => [line.name, ...line.units.map(unitText), Math.max(...unitRatios(line))]),
    notes: ['Units are those that the emulator reports, plus one for each refused write.'],
  };
}

const unitText = ({ read, write }: Capacity): string => `${read} + ${write}`;

function unitRatios({ units }: Line): readonly number[] {
  const sums = units.map(({ read, write }) => read + write);
  return larger(sums).map((sum) => sum / (sums[0] ?? Number.NaN));
}

function timePlot({ sizes, lines }: Measured): Plot {
  const largest = sizes.length - 1;
  return {
    id: 'growth-time',
    title: `Time with ${sizes[largest]?.title} stored deliveries, as a ratio to 1 thousand`,
    unit: 'times',
    limits: [{ label: 'flat within 5 %', value: budgets.timeRatio }],
    bars: lines.map(({ name, timed }) => ({ label: name, value: timed.ratios[largest] ?? 0 })),
  };
}

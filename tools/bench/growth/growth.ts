import type { Benchmark, BenchResult, BenchTable } from '../bench.ts';
import { budgets } from '../budgets.ts';
import { median, ratios } from '../figures.ts';
import { type Line, type Measured, measureGrowth } from './measure.ts';

export const growth: Benchmark = {
  name: 'growth',
  description:
    'units and time of a delivery and of every read, with 1 thousand, 100 thousand and (--large) 1 million ' +
    'stored deliveries and Runs; five minutes, with --large 20',
  isShort: false,
  run: async (context) => growthResult(await measureGrowth(context)),
};

function growthResult(measured: Measured): BenchResult {
  const { lines } = measured;
  return {
    tables: [timeTable(measured), unitTable(measured)],
    budgets: [
      {
        label: 'Units of any request, largest ratio to 1 thousand',
        measured: Math.max(...lines.flatMap(unitRatios)),
        most: budgets.unitRatio,
      },
      {
        label: 'Time of a request, median ratio to 1 thousand',
        measured: median(lines.flatMap(timeRatios)),
        most: budgets.timeRatio,
      },
    ],
  };
}

/** Compares each larger table with the smallest one. */
const larger = <T>([, ...rest]: readonly T[]): readonly T[] => rest;

function timeRatios({ sampled }: Line): readonly number[] {
  return larger(sampled).map(({ times }) => median(ratios(times, sampled[0]?.times ?? [])));
}

function unitRatios({ sampled }: Line): readonly number[] {
  const sums = sampled.map(({ read, write }) => median(read) + median(write));
  return larger(sums).map((sum) => sum / (sums[0] ?? Number.NaN));
}

function timeTable({ sizes, lines }: Measured): BenchTable {
  const titles = sizes.map(({ title }) => title);
  return {
    title: 'Time of a request',
    columns: ['Request', `ms, ${titles[0]}`, ...larger(titles).map((title) => `ratio, ${title}`)],
    rows: lines.map((line) => [line.name, median(line.sampled[0]?.times ?? []), ...timeRatios(line)]),
    notes: [
      'A ratio compares with the table of 1 thousand deliveries and Runs: the median over the rounds, in which each ' +
        'table answers the same request in turn.',
      'Time is that of the function, the emulator, and a proxy that counts units; no AWS network is part of it.',
      'Lists of one Run, Tracker or creator have a tenth of the rows, 10 thousand at most.',
      'Pages have 25 rows. The cursor of each page is made directly.',
    ],
  };
}

function unitTable({ sizes, lines }: Measured): BenchTable {
  return {
    title: 'Capacity units of a request, read + write',
    columns: ['Request', ...sizes.map(({ title }) => title), 'largest ratio'],
    rows: lines.map((line) => [
      line.name,
      ...line.sampled.map(({ read, write }) => `${median(read)} + ${median(write)}`),
      Math.max(...unitRatios(line)),
    ]),
    notes: ['Median over the rounds of what the emulator reports, plus what a refused write takes.'],
  };
}

import type { Benchmark, BenchResult } from '../bench.ts';
import { budgets } from '../budgets.ts';
import { median } from '../figures.ts';
import { type MeasuredBundle, measureStarts, type Start } from './measure.ts';

export const coldStart: Benchmark = {
  name: 'cold-start',
  description: 'start and first invocation of a function of each kind, as a ratio to an empty handler; half a minute',
  isShort: true,
  run: async (context) => coldStartResult(await measureStarts(context)),
};

const medianOf =
  (value: (start: Start) => number) =>
  ({ starts }: MeasuredBundle): number =>
    median(starts.map(value));

/** The columns of the table. */
const figures: Readonly<Record<string, (bundle: MeasuredBundle) => number>> = {
  KB: ({ bytes }) => bytes / 1_000,
  'start + import, ms': medianOf(({ importMs }) => importMs),
  'first invocation, ms': medianOf(({ firstMs }) => firstMs),
  'both, ms': medianOf(({ totalMs }) => totalMs),
  'CPU-ms': medianOf(({ cpuMs }) => cpuMs),
  'empty handler, ms': medianOf(({ emptyMs }) => emptyMs),
};

/** Both processes started under the same load, so that a slow machine exceeds no budget. */
const inEmptyStarts = medianOf(({ totalMs, emptyMs }) => totalMs / emptyMs);

function coldStartResult(bundles: readonly MeasuredBundle[]): BenchResult {
  return {
    tables: [
      {
        title: 'Cold starts',
        columns: ['Function', ...Object.keys(figures)],
        rows: bundles.map((bundle) => [bundle.name, ...Object.values(figures).map((figure) => figure(bundle))]),
        notes: [
          'Medians of processes that were started in turn, each after one with an empty handler.',
          'The first invocation is a real message or an authorized request against the local stack.',
          'CPU-ms are those of the whole process, the start of Node.js included.',
        ],
      },
    ],
    budgets: bundles.map((bundle) => ({
      label: `cold start, times an empty handler: ${bundle.name}`,
      measured: inEmptyStarts(bundle),
      most: budgets.coldStart,
    })),
  };
}

import { chunks } from '#shared/domain/chunks.ts';
import type { Benchmark, BenchResult, BenchTable, Budget } from '../bench.ts';
import { budgets } from '../budgets.ts';
import { median, ratios } from '../figures.ts';
import { emptyName, emptyStarts, type MeasuredBundle, measureStarts, type Start } from './measure.ts';

export const coldStart: Benchmark = {
  name: 'cold-start',
  description:
    'start and first invocation of every bundle as a ratio to an empty handler, and its size; a minute and a half',
  isShort: true,
  run: async (context) => coldStartResult(await measureStarts(context)),
};

type Value = (bundle: MeasuredBundle) => number;

function coldStartResult(bundles: readonly MeasuredBundle[]): BenchResult {
  const empty = bundles.find(({ name }) => name === emptyName)?.starts ?? [];
  // Processes of one round started under the same load.
  const bases = chunks(empty, emptyStarts).map((round) => median(totals(round)));
  const ratio: Value = ({ name, starts }) => (name === emptyName ? 1 : median(ratios(totals(starts), bases)));
  return {
    tables: [startTable(bundles, ratio)],
    budgets: [
      largest(bundles, 'Cold start, times an empty handler', ratio, budgets.coldStart),
      largest(bundles, 'Bundle, KB', kilobytes, budgets.bundleKb),
    ],
  };
}

const totals = (starts: readonly Start[]) => starts.map(({ totalMs }) => totalMs);

const kilobytes: Value = ({ bytes }) => bytes / 1_000;

/** Every function has the same budget, so the one that is nearest to it stands for all. */
function largest(bundles: readonly MeasuredBundle[], label: string, value: Value, most: number): Budget {
  const [worst] = bundles.toSorted((one, other) => value(other) - value(one));
  return { label: `${label}: ${worst?.name}`, measured: worst ? value(worst) : Number.NaN, most };
}

function startTable(bundles: readonly MeasuredBundle[], ratio: Value): BenchTable {
  const medianOf =
    (part: keyof Start): Value =>
    ({ starts }) =>
      median(starts.map((start) => start[part]));
  const values: Readonly<Record<string, Value>> = {
    KB: kilobytes,
    'start + import, ms': medianOf('importMs'),
    'first invocation, ms': medianOf('firstMs'),
    'both, ms': medianOf('totalMs'),
    'CPU-ms': medianOf('cpuMs'),
    'times an empty handler': ratio,
  };
  return {
    title: 'Cold starts',
    columns: ['Function', ...Object.keys(values)],
    rows: bundles.map((bundle) => [bundle.name, ...Object.values(values).map((value) => value(bundle))]),
    notes: [
      'Medians of processes that were started in turn. The ratio is the median of the ratios in each round.',
      'The first invocation is a real message or an authorized request against the local stack.',
      'Deletion and rotation wait 0.6 s before they answer; that wait is left out.',
      'CPU-ms are those of the whole process, the start of Node.js included.',
    ],
  };
}

import { chunks } from '#shared/domain/chunks.ts';
import type { Benchmark, BenchResult, BenchTable, Cell, Plot } from '../bench.ts';
import { budgets } from '../budgets.ts';
import { median } from '../median.ts';
import { emptyName, emptyStarts, type MeasuredBundle, measureStarts } from './measure.ts';
import type { Start } from './spawn-bundle.ts';

export const coldStart: Benchmark = {
  name: 'cold-start',
  description:
    'start and first invocation of every bundle as a ratio to an empty handler, and its size; a minute and a half',
  isShort: true,
  run: async (context) => coldStartResult(await measureStarts(context)),
};

function coldStartResult(bundles: readonly MeasuredBundle[]): BenchResult {
  const empty = bundles.find(({ name }) => name === emptyName)?.starts ?? [];
  const own = bundles.filter(({ isOther }) => !isOther);
  const others = bundles.filter(({ isOther }) => isOther);
  const rounds = chunks(empty, emptyStarts);
  const ratio = ratioTo(rounds, ({ totalMs }) => totalMs);
  const cpuRatio = ratioTo(rounds, ({ cpuMs }) => cpuMs);
  const table = (title: string, some: readonly MeasuredBundle[]) => startTable(title, some, ratio, cpuRatio);
  const figuresOf = (all: readonly MeasuredBundle[], suffix: string) => ({
    [`queuesToEmptyHandler${suffix}`]: largest(all.filter(isQueue), ratio),
    [`apiToEmptyHandler${suffix}`]: largest(all.filter(isApi), ratio),
    [`queueBundleKb${suffix}`]: largest(all.filter(isQueue), ({ bytes }) => bytes / 1_000),
  });
  return {
    tables: [
      table('Cold starts', own),
      ...(others.length === 0 ? [] : [table('Cold starts of the other build', others)]),
    ],
    figures: { ...figuresOf(own, ''), ...(others.length === 0 ? {} : figuresOf(others, 'OfOther')) },
    plots: [ratioPlot(bundles, ratio)],
  };
}

const isQueue = ({ name }: MeasuredBundle): boolean => name.startsWith('queue/');
const isApi = ({ name }: MeasuredBundle): boolean => name.startsWith('api/');

type Ratio = (bundle: MeasuredBundle) => number;

/** The median of the ratios in each round: processes of one round started under the same load. */
function ratioTo(empty: readonly (readonly Start[])[], value: (start: Start) => number): Ratio {
  const bases = empty.map((round) => median(round.map(value)));
  return ({ name, starts }) =>
    name === emptyName
      ? 1
      : median(starts.map((start, round) => value(start) / (bases[round] ?? Number.NaN)));
}

function largest(bundles: readonly MeasuredBundle[], value: Ratio): number {
  return Math.max(...bundles.map(value));
}

function startTable(
  title: string,
  bundles: readonly MeasuredBundle[],
  ratio: Ratio,
  cpuRatio: Ratio,
): BenchTable {
  return {
    title,
    columns: [
      'Function',
      'KB',
      'KB, gzip',
      'start + import, ms',
      'first invocation, ms',
      'both, ms',
      'both, least ms',
      'CPU-ms',
      'CPU, times an empty handler',
      'times an empty handler',
      `within ${budgets.coldStart} times`,
      `within ${budgets.bundleKb} KB`,
    ],
    rows: bundles.map((bundle) => rowOf(bundle, ratio(bundle), cpuRatio(bundle))),
    notes: [
      'Medians of eight processes each, started in turn. The ratio is the median of the ratios in each round.',
      'The first invocation is a real message or an authorized request against the local stack.',
      'Deletion and rotation wait 0.6 s before they answer; that wait is left out.',
      'CPU-ms are those of the whole process, the start of Node.js included.',
    ],
  };
}

function rowOf(bundle: MeasuredBundle, ratio: number, cpuRatio: number): readonly Cell[] {
  const { name, bytes, gzipBytes, starts } = bundle;
  const each = (value: (start: Start) => number) => median(starts.map(value));
  return [
    name,
    bytes / 1_000,
    gzipBytes / 1_000,
    each(({ importMs }) => importMs),
    each(({ firstMs }) => firstMs),
    each(({ totalMs }) => totalMs),
    Math.min(...starts.map(({ totalMs }) => totalMs)),
    each(({ cpuMs }) => cpuMs),
    cpuRatio,
    ratio,
    held(ratio <= budgets.coldStart),
    held(bytes / 1_000 <= budgets.bundleKb),
  ];
}

const held = (isHeld: boolean): string => (isHeld ? 'yes' : 'NO');

function ratioPlot(bundles: readonly MeasuredBundle[], ratio: Ratio): Plot {
  const measured = bundles.filter(({ name }) => name !== emptyName);
  const hasOthers = measured.some(({ isOther }) => isOther);
  return {
    id: 'cold-start',
    title: 'Start and first invocation, as a ratio to an empty handler',
    unit: 'times',
    limits: [{ label: 'every function', value: budgets.coldStart }],
    bars: measured.map((bundle) => ({
      label: bundle.name,
      value: ratio(bundle),
      ...(hasOthers ? { group: bundle.isOther ? 'other build' : 'this build' } : {}),
    })),
  };
}

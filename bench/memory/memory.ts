import type { BenchContext, Benchmark, BenchResult, BenchTable, Plot } from '../bench.ts';
import { buildBundles } from '../build-bundles.ts';
import { type MeasuredCase, measureDeliver } from './measure-deliver.ts';
import { measureStack, type StackMemory } from './measure-stack.ts';

export const memory: Benchmark = {
  name: 'memory',
  description:
    'memory of the delivery function under receivers that misbehave, and of the local stack; a minute and a half',
  isShort: true,
  run: async (context) => memoryResult(await measureMemory(context)),
};

type Measured = { readonly cases: readonly MeasuredCase[]; readonly states: readonly StackMemory[] };

async function measureMemory(context: BenchContext): Promise<Measured> {
  await buildBundles();
  const cases = await measureDeliver(context);
  return { cases, states: await measureStack(context) };
}

function memoryResult({ cases, states }: Measured): BenchResult {
  return {
    tables: [deliverTable(cases), ...(states.length === 0 ? [] : [stackTable(states)])],
    figures: {
      deliverPeakMb: Math.max(...cases.map(peakOf)),
      deliverGrowthMb: Math.max(...cases.map(growthOf)),
      ...Object.fromEntries(states.map(({ name, processes }) => [name, totalOf(processes)])),
    },
    plots: [peakPlot(cases), ...(states.length === 0 ? [] : [stackPlot(states)])],
  };
}

const megabytes = (bytes: number): number => bytes / 1024 ** 2;

const peakOf = ({ memory }: MeasuredCase): number => megabytes(memory.at(-1)?.peak ?? Number.NaN);

/** After the first round, each connection and cache exists that later rounds use. */
const settledOf = ({ memory }: MeasuredCase): number => megabytes(memory[1]?.live ?? Number.NaN);
const halfwayOf = ({ memory }: MeasuredCase): number =>
  megabytes(memory[memory.length >> 1]?.live ?? Number.NaN);
const finalOf = ({ memory }: MeasuredCase): number => megabytes(memory.at(-1)?.live ?? Number.NaN);
const growthOf = (measured: MeasuredCase): number => finalOf(measured) - settledOf(measured);

const totalOf = (processes: StackMemory['processes']): number =>
  megabytes(processes.reduce((sum, { bytes }) => sum + bytes, 0));

function deliverTable(cases: readonly MeasuredCase[]): BenchTable {
  return {
    title: 'Delivery function, by what the receiver does',
    columns: [
      'Receiver',
      'deliveries',
      'peak, MB',
      'live after the first round, MB',
      'halfway, MB',
      'after the last, MB',
    ],
    rows: cases.map((each) => [
      each.title,
      each.rounds * each.batches * 10,
      peakOf(each),
      settledOf(each),
      halfwayOf(each),
      finalOf(each),
    ]),
    notes: [
      'Each receiver has a process of the function for itself, which delivers in rounds of ten or a hundred.',
      'Live are objects and buffers after garbage collection: code and connections that are loaded once, and what ' +
        'earlier attempts left. Compare with the receiver that answers at once.',
      'The peak is the resident memory of the process, of which Node.js itself takes about 45 MB.',
    ],
  };
}

function stackTable(states: readonly StackMemory[]): BenchTable {
  const names = [...new Set(states.flatMap(({ processes }) => processes.map(({ name }) => name)))];
  const sumOf = ({ processes }: StackMemory, name: string) =>
    totalOf(processes.filter((process) => process.name === name));
  return {
    title: 'Local stack, MB by process',
    columns: ['Process', ...states.map(({ state }) => state)],
    rows: [
      ...names.map((name) => [name, ...states.map((state) => sumOf(state, name))]),
      ['all', ...states.map(({ processes }) => totalOf(processes))],
    ],
    notes: [
      'Proportional set size: pages that processes share are divided among them.',
      'A deployed stage runs no process while it is idle; this is the memory that a developer needs.',
    ],
  };
}

function peakPlot(cases: readonly MeasuredCase[]): Plot {
  return {
    id: 'memory-deliver',
    title: 'Peak memory of the delivery function, by what the receiver does',
    unit: 'MB',
    bars: cases.map((each) => ({ label: each.title, value: peakOf(each) })),
  };
}

function stackPlot(states: readonly StackMemory[]): Plot {
  return {
    id: 'memory-stack',
    title: 'Memory of the local stack',
    unit: 'MB',
    bars: states.map(({ state, processes }) => ({ label: state, value: totalOf(processes) })),
  };
}

import type { Benchmark, BenchResult, BenchTable, Cell } from '../bench.ts';
import type { Spread } from '../percentiles.ts';
import { type Beside, type Measured, measure, patienceMs, quickLoad } from './measure.ts';
import { modelRows, modelTable } from './model-rows.ts';

export const neighbour: Benchmark = {
  name: 'neighbour',
  description: 'quick endpoints beside a slow one and beside one that never answers; two minutes',
  isShort: true,
  run: async (context) => resultOf(await measure(context)),
};

function resultOf(measured: Measured): BenchResult {
  const { alone, beside } = measured;
  return {
    tables: [quickTable(measured), billedTable(beside), modelTable(modelRows())],
    figures: Object.fromEntries([
      ['quickP99MsAlone', alone.p99],
      ...beside.flatMap(({ neighbour: { name }, quick }) => [
        [`quickP99MsBeside:${name}`, quick.p99],
        [`quickP99ToAlone:${name}`, quick.p99 / alone.p99],
      ]),
      ...beside.flatMap(({ billed }) =>
        billed.map(({ folder, gbMsPerMessage }) => [`gbMsPerTimedOutAttempt:${folder}`, gbMsPerMessage]),
      ),
    ]),
    plots: [
      {
        id: 'neighbour-quick',
        title: 'Accepted message to POST at quick endpoints, 99th percentile',
        unit: 'ms',
        bars: [
          { label: 'alone', value: alone.p99 },
          ...beside.map(({ neighbour: { label }, quick }) => ({ label, value: quick.p99 })),
        ],
      },
    ],
  };
}

function quickTable({ alone, beside, verified }: Measured): BenchTable {
  const row = (label: string, quick: Spread): readonly Cell[] => [
    label,
    ...[quick.p50, quick.p90, quick.p99, quick.max].map(lateText),
    quick.p99 / alone.p99,
  ];
  return {
    title: `Local stack: ms from accepted message to POST at ${quickLoad.endpoints} quick endpoints`,
    columns: ['slow endpoint', 'p50', 'p90', 'p99', 'max', 'p99, with : without'],
    rows: [row('none', alone), ...beside.map(({ neighbour: { label }, quick }) => row(label, quick))],
    notes: [
      `The quick endpoints together get ${quickLoad.perSecond} events a second for ${quickLoad.seconds} s. The slow ` +
        'endpoint is new each time, so the time until it is known to be slow is included.',
      `Each of ${verified.events} events arrived once; all ${verified.signatures} sampled signatures are valid.`,
    ],
  };
}

function lateText(ms: number): Cell {
  return Number.isFinite(ms) ? ms : `> ${patienceMs}`;
}

function billedTable(beside: readonly Beside[]): BenchTable {
  return {
    title: 'Billed time of attempts that time out after 10 s',
    columns: ['slow endpoint', 'function', 'invocations', 'messages in each', 'GB-ms for each attempt'],
    rows: beside.flatMap(({ neighbour: { label }, billed }) =>
      billed.map(({ folder, invocations, messages, gbMsPerMessage }): readonly Cell[] => [
        label,
        folder,
        invocations,
        messages / invocations,
        gbMsPerMessage,
      ]),
    ),
    notes: ['Duration of the invocation times the memory of the function, by the messages of its batch.'],
  };
}

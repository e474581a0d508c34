import type { BenchResult, BenchTable, Cell } from '../bench.ts';
import { spreadOf } from '../percentiles.ts';
import { ratios, type Several, several } from '../support/several.ts';
import { type CpuTimes, cpuParts, handlerCpu } from './cpu-times.ts';
import type { Floor } from './floor-figures.ts';
import type { Measured, PipelineRun } from './measured.ts';
import { reads } from './read-page.ts';
import { burst, steady } from './rounds.ts';

/** A quantity that is compared with the floor and with another build. */
type Quantity = {
  readonly name: string;
  readonly label: string;
  /** One value for each round. */
  readonly of: (measured: Measured) => readonly number[];
  readonly floor?: (floor: Floor) => number;
};

const latencyFloor = ({ write, post }: Floor) => write.ms + post.ms;
const rateFloor = ({ write, post }: Floor) => 1_000 / (write.loadedMs + post.loadedMs);
const cpuFloor = ({ write, post }: Floor) => write.cpuMs + post.cpuMs;

const quantities: readonly Quantity[] = [
  {
    name: 'deliveriesPerSecondOneEndpoint',
    label: 'deliveries per second, 1 endpoint',
    of: ({ oneEndpoint }) => oneEndpoint.map(({ perSecond }) => perSecond),
    floor: rateFloor,
  },
  {
    name: 'deliveriesPerSecondTenEndpoints',
    label: 'deliveries per second, 10 endpoints',
    of: ({ tenEndpoints }) => tenEndpoints.map(({ perSecond }) => perSecond),
    floor: rateFloor,
  },
  ...(['p50', 'p95', 'p99'] as const).map((rank) => ({
    name: `acceptedToPost${rank.toUpperCase()}Ms`,
    label: `accepted to POST at ${steady.perSecond} a second, ${rank}, ms`,
    of: (measured: Measured) => measured.steady.map(({ latency }) => latency[rank]),
    floor: latencyFloor,
  })),
  {
    name: 'handlerCpuMsOneEndpoint',
    label: 'CPU-ms of both functions for an event, 1 endpoint',
    of: ({ oneEndpoint }) => oneEndpoint.map(({ cpu }) => handlerCpu(cpu)),
    floor: cpuFloor,
  },
  {
    name: 'handlerCpuMsTenEndpoints',
    label: 'CPU-ms of both functions for an event, 10 endpoints',
    of: ({ tenEndpoints }) => tenEndpoints.map(({ cpu }) => handlerCpu(cpu)),
    floor: cpuFloor,
  },
  {
    name: 'firstPageP50Ms',
    label: `first page of ${reads.pageSize} deliveries over HTTP, p50, ms`,
    of: ({ pages }) => [spreadOf(pages).p50],
  },
];

export function resultOf(run: PipelineRun): BenchResult {
  const { current, other, floors } = run;
  return {
    tables: [
      measuredTable(run),
      cpuTable(current),
      floorTable(floors),
      ...(other === null ? [] : [againstTable(current, other)]),
    ],
    figures: Object.fromEntries([
      ...quantities.map(({ name, of }) => [name, several(of(current)).median]),
      ...quantities.flatMap(({ name, of, floor }) =>
        floor === undefined ? [] : [[`${name}ToFloor`, ratios(of(current), floors.map(floor)).median]],
      ),
      ...(other === null
        ? []
        : quantities.map(({ name, of }) => [`${name}ToOther`, ratios(of(current), of(other)).median])),
    ]),
    plots: [
      {
        id: 'pipeline-cpu',
        title: 'CPU time of one delivered event, 10 endpoints',
        unit: 'ms',
        bars: cpuParts.map((part) => ({ label: cpuLabels[part], value: cpuOf(current.tenEndpoints, part) })),
      },
    ],
  };
}

function measuredTable({ current, floors, verified }: PipelineRun): BenchTable {
  return {
    title: 'Pipeline: events through the intake queue to https endpoints',
    columns: ['quantity', 'median', 'low', 'high', 'floor', 'ratio to the floor'],
    rows: quantities.map(({ label, of, floor }) => [
      label,
      ...cells(several(of(current))),
      ...(floor === undefined
        ? [null, null]
        : [several(floors.map(floor)).median, ratios(of(current), floors.map(floor)).median]),
    ]),
    notes: [
      `Each round sends ${burst.events} events to 1 endpoint and to 10 endpoints of 10 customers with ` +
        `${burst.inFlight} in flight, and ${steady.perSecond} a second for ${steady.seconds} s.`,
      'The floor is one signed write and one signed POST on open connections, without a service.',
      `Of ${verified.events} events each arrived once; all ${verified.signatures} sampled signatures are valid.`,
    ],
  };
}

const cpuLabels: Readonly<Record<keyof CpuTimes, string>> = {
  intake: 'intake function',
  deliver: 'deliver functions',
  runner: 'local stack with SQS',
  dynamodb: 'DynamoDB emulator',
};

function cpuTable({ oneEndpoint, tenEndpoints, steady: slow }: Measured): BenchTable {
  const columns = [oneEndpoint, tenEndpoints, slow];
  return {
    title: 'CPU-ms for each delivered event, median of the rounds',
    columns: ['part', 'burst, 1 endpoint', 'burst, 10 endpoints', `${steady.perSecond} a second`],
    rows: [
      ...cpuParts.map((part) => [cpuLabels[part], ...columns.map((rounds) => cpuOf(rounds, part))]),
      ['together', ...columns.map((rounds) => several(rounds.map(({ cpu }) => totalOf(cpu))).median)],
    ],
    notes: ['Each function runs in a process of its own. A deployed stage has the first two rows only.'],
  };
}

function cpuOf(rounds: readonly { readonly cpu: CpuTimes }[], part: keyof CpuTimes): number {
  return several(rounds.map(({ cpu }) => cpu[part])).median;
}

function totalOf(cpu: CpuTimes): number {
  return cpuParts.reduce((total, part) => total + cpu[part], 0);
}

function floorTable(floors: readonly Floor[]): BenchTable {
  const row = (label: string, operation: keyof Floor): readonly Cell[] => [
    label,
    ...(['ms', 'loadedMs', 'cpuMs'] as const).map(
      (value) => several(floors.map((floor) => floor[operation][value])).median,
    ),
  ];
  return {
    title: 'Floor in the same run, median of the rounds',
    columns: ['operation', 'ms, one at a time', 'ms for each of eight at once', 'CPU-ms'],
    rows: [row('signed UpdateItem', 'write'), row('signed https POST', 'post')],
  };
}

function againstTable(current: Measured, other: Measured): BenchTable {
  return {
    title: 'This build and the build of --against, in turn',
    columns: ['quantity', 'this', 'other', 'this : other', 'low', 'high'],
    rows: quantities.map(({ label, of }) => [
      label,
      several(of(current)).median,
      several(of(other)).median,
      ...cells(ratios(of(current), of(other))),
    ]),
    notes: ['The ratio is the median of the ratios of the rounds, with its range.'],
  };
}

function cells({ median, low, high }: Several): readonly Cell[] {
  return [median, low, high];
}

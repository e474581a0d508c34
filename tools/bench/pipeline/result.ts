import type { BenchResult, Cell } from '../bench.ts';
import { budgets } from '../budgets.ts';
import { median, ratios } from '../figures.ts';
import { type Verified, verifiedNote } from '../support/verify-delivered.ts';
import { burst, type Round, steady } from './rounds.ts';

/** What was measured, one value for each round. */
export type PipelineRun = {
  readonly current: readonly Round[];
  /** The build of `--against`; empty without one. */
  readonly other: readonly Round[];
  readonly verified: readonly Verified[];
};

type Quantity = {
  readonly label: string;
  readonly of: (round: Round) => number;
  /** The budget. */
  readonly most?: number;
};

const quantities: readonly Quantity[] = [
  { label: 'deliveries per second, 1 endpoint', of: ({ oneEndpoint }) => oneEndpoint.perSecond },
  { label: 'deliveries per second, 10 endpoints', of: ({ tenEndpoints }) => tenEndpoints.perSecond },
  { label: `accepted to POST at ${steady.perSecond} a second, p50, ms`, of: ({ latency }) => latency.p50 },
  { label: `accepted to POST at ${steady.perSecond} a second, p99, ms`, of: ({ latency }) => latency.p99 },
  {
    label: 'CPU-ms of both functions for an event, 1 endpoint',
    of: ({ oneEndpoint }) => oneEndpoint.cpuMs,
    most: budgets.cpuMsOneEndpoint,
  },
  {
    label: 'CPU-ms of both functions for an event, 10 endpoints',
    of: ({ tenEndpoints }) => tenEndpoints.cpuMs,
    most: budgets.cpuMsTenEndpoints,
  },
  {
    label: 'log bytes for an event, 1 endpoint',
    of: ({ oneEndpoint }) => oneEndpoint.logBytes,
    most: budgets.logBytes,
  },
];

export function resultOf({ current, other, verified }: PipelineRun): BenchResult {
  const isCompared = other.length > 0;
  return {
    tables: [
      {
        title: 'Pipeline: events through the intake queue to https endpoints',
        columns: [
          'median of the rounds, and their range',
          ...['this build', 'least', 'most'],
          ...(isCompared ? ['other build', 'this : other', 'least', 'most'] : []),
        ],
        rows: quantities.map(({ label, of }) => [
          label,
          ...withRange(current.map(of)),
          ...(isCompared
            ? [median(other.map(of)), ...withRange(ratios(current.map(of), other.map(of)))]
            : []),
        ]),
        notes: [
          `Each round sends ${burst.events} events to 1 endpoint and to 10 endpoints of 10 customers with ` +
            `${burst.inFlight} in flight, and ${steady.perSecond} a second for ${steady.seconds} s.`,
          ...verified.map(verifiedNote),
        ],
      },
    ],
    budgets: quantities.flatMap(({ label, of, most }) =>
      most === undefined ? [] : [{ label, measured: median(current.map(of)), most }],
    ),
  };
}

function withRange(values: readonly number[]): readonly Cell[] {
  return [median(values), Math.min(...values), Math.max(...values)];
}

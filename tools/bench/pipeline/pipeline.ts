import { resolve } from 'node:path';
import type { BenchContext, Benchmark, BenchResult, Budget, Cell } from '../bench.ts';
import { budgets } from '../budgets.ts';
import { buildBundles, bundleFolder } from '../build-bundles.ts';
import { median, ratios } from '../figures.ts';
import { verifiedNote } from '../support/verify-delivered.ts';
import { burst, playRound, type Round, type Subject, startSubject, steady, warmUp } from './rounds.ts';

const defaultRounds = 3;

export const pipeline: Benchmark = {
  name: 'pipeline',
  description: 'deliveries per second, time from event to POST, CPU time; two minutes, four with --against',
  isShort: true,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const { say, signal, options } = context;
  const roundCount = options.rounds ?? defaultRounds;
  await buildBundles();
  await using parts = new AsyncDisposableStack();
  say('Starting the local stack');
  const folders = [bundleFolder, ...(options.against === undefined ? [] : [resolve(options.against)])];
  const subjects: Subject[] = [];
  for (const folder of folders) subjects.push(await startSubject(parts, context, folder));
  say('Warming up');
  for (const subject of subjects) await warmUp(subject);

  const rounds = new Map<Subject, readonly Round[]>();
  for (let round = 1; round <= roundCount; round += 1) {
    say(`Round ${round} of ${roundCount}`);
    // One build after the other, so that a busy machine does not favour one.
    for (const subject of subjects) {
      signal.throwIfAborted();
      rounds.set(subject, [...(rounds.get(subject) ?? []), await playRound(subject)]);
    }
  }
  const notes: string[] = [];
  for (const { bench } of subjects) notes.push(verifiedNote(await bench.verify()));
  const [current = [], other = []] = rounds.values();
  return resultOf(current, other, notes);
}

type Quantity = {
  readonly label: string;
  readonly of: (round: Round) => number;
  /** What the budget compares the value with, if that depends on the machine. */
  readonly floor?: keyof Round['floor'];
  /** The budget. */
  readonly most?: number;
};

const quantities: readonly Quantity[] = [
  { label: 'a lean write of the table, p50, ms', of: ({ floor }) => floor.ms },
  { label: 'a lean write of the table, CPU-ms', of: ({ floor }) => floor.cpuMs },
  { label: 'deliveries per second, 1 endpoint', of: ({ oneEndpoint }) => oneEndpoint.perSecond },
  { label: 'deliveries per second, 10 endpoints', of: ({ tenEndpoints }) => tenEndpoints.perSecond },
  {
    label: `accepted to POST at ${steady.perSecond} a second, p50, ms`,
    of: ({ latency }) => latency.p50,
    floor: 'ms',
    most: budgets.arrival.p50,
  },
  {
    label: `accepted to POST at ${steady.perSecond} a second, p99, ms`,
    of: ({ latency }) => latency.p99,
    floor: 'ms',
    most: budgets.arrival.p99,
  },
  {
    label: 'list of deliveries at idle, p50, ms',
    of: ({ list }) => list.p50,
    floor: 'ms',
    most: budgets.read,
  },
  {
    label: 'one delivery at idle, p50, ms',
    of: ({ read }) => read.p50,
    floor: 'ms',
    most: budgets.read,
  },
  {
    label: 'CPU-ms of both functions for an event, 1 endpoint',
    of: ({ oneEndpoint }) => oneEndpoint.cpuMs,
    floor: 'cpuMs',
    most: budgets.cpuOneEndpoint,
  },
  {
    label: 'CPU-ms of both functions for an event, 10 endpoints',
    of: ({ tenEndpoints }) => tenEndpoints.cpuMs,
    floor: 'cpuMs',
    most: budgets.cpuTenEndpoints,
  },
  {
    label: 'calls of DynamoDB for an event, 1 endpoint',
    of: ({ oneEndpoint }) => oneEndpoint.tableCalls,
    most: budgets.tableCalls,
  },
  {
    label: 'calls of DynamoDB for an event, 10 endpoints',
    of: ({ tenEndpoints }) => tenEndpoints.tableCalls,
  },
  {
    label: 'log bytes for an event, 1 endpoint',
    of: ({ oneEndpoint }) => oneEndpoint.logBytes,
    most: budgets.logBytes,
  },
];

/** @param other rounds of the build of `--against`; empty without one */
export function resultOf(current: readonly Round[], other: readonly Round[], notes: readonly string[]): BenchResult {
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
          ...(isCompared ? [median(other.map(of)), ...withRange(ratios(current.map(of), other.map(of)))] : []),
        ]),
        notes: [
          `Each round sends ${burst.events} events to 1 endpoint and to 10 endpoints of 10 customers with ` +
            `${burst.inFlight} in flight, and ${steady.perSecond} a second for ${steady.seconds} s.`,
          ...notes,
        ],
      },
    ],
    budgets: quantities.flatMap((quantity) => budgetOf(quantity, current)),
  };
}

/** Compares with the floor of the same round, so that a slow machine exceeds no budget. */
function budgetOf({ label, of, floor, most }: Quantity, rounds: readonly Round[]): readonly Budget[] {
  if (most === undefined) return [];
  if (floor === undefined) return [{ label, measured: median(rounds.map(of)), most }];
  const inFloors = ratios(
    rounds.map(of),
    rounds.map((round) => round.floor[floor]),
  );
  return [{ label: `${label.replace(/, ms$/, '')}, in lean writes`, measured: median(inFloors), most }];
}

function withRange(values: readonly number[]): readonly Cell[] {
  return [median(values), Math.min(...values), Math.max(...values)];
}

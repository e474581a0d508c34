import { setTimeout as sleep } from 'node:timers/promises';
import type { InvocationRecord } from '../../local/aws/lambda/invocation-record.ts';
import type { BenchContext, Benchmark, BenchResult, BenchTable, Cell } from '../bench.ts';
import { budgets } from '../budgets.ts';
import { type Spread, spreadOf } from '../figures.ts';
import { type BenchStack, startBenchStack } from '../support/bench-stack.ts';
import { acceptedToPost, type Load } from '../support/load.ts';
import { startParties } from '../support/parties.ts';
import { verifiedNote } from '../support/verify-delivered.ts';

/** The stream to the quick endpoints. */
const quickLoad = { endpoints: 20, perSecond: 20, seconds: 15 } as const;

type Neighbour = {
  readonly label: string;
  readonly query: string;
  readonly load: Pick<Load, 'count' | 'pace'>;
  /** Events that one of the quick endpoints gets at once. */
  readonly burst?: number;
};

/** The endpoints that are measured beside it, one after the other. */
const neighbours: readonly Neighbour[] = [
  {
    label: 'answers after 5 s, 3.3 events a second',
    query: '?after_ms=5000',
    load: { count: 50, pace: { perSecond: 10 / 3 } },
  },
  {
    label: 'never answers, 10 events a second',
    query: '?silent',
    load: { count: 150, pace: { perSecond: 10 } },
  },
  {
    label: 'never answers, and a burst of 5,000',
    query: '?silent',
    load: { count: 500, pace: { inFlight: 500 } },
    burst: 4_500,
  },
];

/** Milliseconds to wait for the last event of a quick endpoint; one that arrives later counts as late for ever. */
const waitMs = 30_000;

/** The measurement does not wait for the whole backlog of a slow endpoint. */
const slowWaitMs = 20_000;

/** An attempt may end a little before its 10 seconds are over, because timers are rounded. */
const timeoutMs = 9_900;

type Beside = {
  readonly label: string;
  /** Milliseconds from the accepted message to the POST at the quick endpoints. */
  readonly quick: Spread;
  /** Seconds of functions for each attempt that timed out, which a batch shares; `null` when none did. */
  readonly secondsPerTimeout: number | null;
  /** Quick endpoints that were marked as slow. */
  readonly wronglyMarked: number;
};

type Measured = Awaited<ReturnType<typeof measure>>;

export const neighbour: Benchmark = {
  name: 'neighbour',
  description: 'quick endpoints beside a slow one and beside one that never answers; two minutes',
  isShort: true,
  run: async (context) => resultOf(await measure(context)),
};

async function measure(context: BenchContext) {
  const { say, signal } = context;
  await using parts = new AsyncDisposableStack();
  say('Starting the local stack');
  const invocations: InvocationRecord[] = [];
  const onInvocation = (record: InvocationRecord) => void invocations.push(record);
  const bench = await startBenchStack(parts, await startParties(parts, signal), context, { onInvocation });
  const customers = await bench.addCustomers(quickLoad.endpoints);
  say('Warming up');
  await bench.play({ customers, count: 300, pace: { inFlight: 16 }, timeoutMs: waitMs });
  say(`Quick endpoints alone, ${quickLoad.seconds} s`);
  const alone = await playQuick(bench, customers);
  const beside: Beside[] = [];
  const [busy, ...quickOnes] = customers;
  for (const { label, query, load, burst = 0 } of neighbours) {
    say(`Quick endpoints beside one that ${label}, ${quickLoad.seconds} s`);
    const slow = await bench.addCustomers(1, query);
    invocations.length = 0;
    const marked = bench.marked().length;
    const [quick] = await Promise.all([
      playQuick(bench, burst === 0 ? customers : quickOnes),
      bench.play({ customers: slow, ...load, timeoutMs: slowWaitMs }),
      bench.play({ customers: [busy ?? ''], count: burst, pace: { inFlight: burst }, timeoutMs: waitMs }),
    ]);
    // The last attempts end when their time is over, and then their invocations are recorded.
    await sleep(timeoutMs + 1_000, undefined, { signal });
    const wrongly = bench
      .marked()
      .slice(marked)
      .filter((customer) => !slow.includes(customer));
    const wronglyMarked = new Set(wrongly).size;
    beside.push({ label, quick, secondsPerTimeout: secondsPerTimeout(invocations), wronglyMarked });
  }
  return { alone, beside, verified: await bench.verify() };
}

async function playQuick(bench: BenchStack, customers: readonly string[]): Promise<Spread> {
  const { perSecond, seconds } = quickLoad;
  const load = { customers, count: perSecond * seconds, pace: { perSecond }, timeoutMs: waitMs };
  return spreadOf((await bench.play(load)).map(acceptedToPost));
}

function secondsPerTimeout(invocations: readonly InvocationRecord[]): number | null {
  const timedOut = invocations.filter(
    ({ folder, durationMs }) => folder.startsWith('queue/deliver') && durationMs >= timeoutMs,
  );
  const attempts = timedOut.reduce((sum, { records }) => sum + records, 0);
  const totalMs = timedOut.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return attempts === 0 ? null : totalMs / 1_000 / attempts;
}

function resultOf(measured: Measured): BenchResult {
  return {
    tables: [quickTable(measured)],
    budgets: measured.beside.flatMap(({ label, quick, wronglyMarked: marked }, index) => {
      const beside = `quick endpoints beside one that ${label}`;
      const p99 = {
        label: `p99 at ${beside}, times that without it`,
        measured: quick.p99 / measured.alone.p99,
        most: budgets.quickP99,
      };
      const wrong = `quick endpoints marked as slow beside one that ${label}`;
      const wronglyMarked = { label: wrong, measured: marked, most: budgets.wronglyMarked };
      return neighbours[index]?.burst === undefined ? [p99, wronglyMarked] : [wronglyMarked];
    }),
  };
}

function quickTable({ alone, beside, verified }: Measured): BenchTable {
  const none = { label: 'none', quick: alone, secondsPerTimeout: null, wronglyMarked: 0 };
  const measured: readonly Beside[] = [none, ...beside];
  return {
    title: `Local stack: ms from accepted message to POST at ${quickLoad.endpoints} quick endpoints`,
    columns: [
      'slow endpoint',
      'p50',
      'p99',
      'max',
      'p99, with : without',
      'seconds for each timeout',
      'marked wrongly',
    ],
    rows: measured.map(({ label, quick: { p50, p99, max }, secondsPerTimeout, wronglyMarked }) => [
      label,
      ...[p50, p99, max].map(lateText),
      p99 / alone.p99,
      secondsPerTimeout,
      wronglyMarked,
    ]),
    notes: [
      `The quick endpoints together get ${quickLoad.perSecond} events a second for ${quickLoad.seconds} s. The slow ` +
        'endpoint is new each time, so the time until it is known to be slow is included.',
      'The attempts of a batch wait together: the last column has the seconds of functions for one that timed out ' +
        'after ten.',
      `In the last row, ${quickLoad.endpoints - 1} quick endpoints are measured, and the other one gets the burst.`,
      verifiedNote(verified),
    ],
  };
}

function lateText(ms: number): Cell {
  return Number.isFinite(ms) ? ms : `> ${waitMs}`;
}

import type { BenchContext, Benchmark, BenchResult, BenchTable, Budget } from '../bench.ts';
import { budgets } from '../budgets.ts';
import { type Spread, spreadOf } from '../figures.ts';
import { type BenchStack, startBenchStack } from '../support/bench-stack.ts';
import { acceptedToPost, type PlayedEvent } from '../support/load.ts';
import { startParties } from '../support/parties.ts';
import { verifiedNote } from '../support/verify-delivered.ts';

/** Events that are all sent at once, and those of them that go to an endpoint which fails, where there is one. */
const burst = { events: 5_000, failing: 500 } as const;

/** The events of another customer, which begin before the burst. */
const neighbour = { perSecond: 10, seconds: 25 } as const;

/** How the endpoint that fails answers. */
const scenes = [
  { label: 'one endpoint', query: null },
  { label: 'a tenth to one that drops connections', query: '?drops' },
  { label: 'a tenth to one that never answers', query: '?silent' },
] as const;

/** Milliseconds: an event that is later counts as late for ever. */
const timeoutMs = 60_000;

type Scene = Awaited<ReturnType<typeof playScene>>;
type Measured = Awaited<ReturnType<typeof measure>>;

export const bursts: Benchmark = {
  name: 'burst',
  description: '5,000 events of one customer at once, beside another one with 10 a second; two minutes',
  isShort: true,
  run: async (context) => resultOf(await measure(context)),
};

async function measure(context: BenchContext) {
  const { say, signal } = context;
  await using parts = new AsyncDisposableStack();
  say('Starting the local stack');
  const bench = await startBenchStack(parts, await startParties(parts, signal), context);
  const quiet = await bench.addCustomers(1);
  say('Warming up');
  await bench.play({ customers: quiet, count: 2_000, pace: { inFlight: 100 }, timeoutMs });
  say('The neighbour alone');
  const alone = spreadOf((await playNeighbour(bench, quiet)).map(acceptedToPost));
  const played: Scene[] = [];
  for (const scene of scenes) {
    say(`A burst: ${scene.label}`);
    played.push(await playScene(bench, quiet, scene));
  }
  return { alone, scenes: played, verified: await bench.verify() };
}

function playNeighbour(bench: BenchStack, customers: readonly string[]): Promise<readonly PlayedEvent[]> {
  const { perSecond, seconds } = neighbour;
  return bench.play({ customers, count: perSecond * seconds, pace: { perSecond }, timeoutMs });
}

async function playScene(bench: BenchStack, quiet: readonly string[], { label, query }: (typeof scenes)[number]) {
  const failing = query === null ? 0 : burst.failing;
  const busy = await bench.addCustomers(1);
  const failed = query === null ? [] : await bench.addCustomers(1, query);
  const send = (customers: readonly string[], count: number) =>
    bench.play({ customers, count, perRequest: 10, pace: { inFlight: count }, timeoutMs });
  const [beside, events] = await Promise.all([
    playNeighbour(bench, quiet),
    send(busy, burst.events - failing),
    send(failed, failing),
  ]);
  const runs = new Set([...events, ...beside].map(({ runId }) => runId));
  const opened = (await bench.arrivals()).filter(({ runId, isFirst }) => isFirst && runs.has(runId)).length;
  const began = Math.min(...events.map(({ acceptedAt }) => acceptedAt));
  return {
    label,
    neighbour: spreadOf(beside.map(acceptedToPost)),
    /** From the first message of the burst until the last POST at its first endpoint. */
    lastMs: Math.max(...events.map(({ arrivedAt }) => (arrivedAt ?? Number.POSITIVE_INFINITY) - began)),
    /** To quick endpoints, for 100 POSTs. */
    newConnections: (opened * 100) / runs.size,
  };
}

function resultOf(measured: Measured): BenchResult {
  const { alone, scenes: played } = measured;
  return { tables: [tableOf(measured)], budgets: played.flatMap((scene) => budgetsOf(scene, alone)) };
}

/** A neighbour is compared with itself alone, so that a slow machine exceeds no budget. */
function budgetsOf({ label, neighbour: beside, lastMs }: Scene, alone: Spread): readonly Budget[] {
  const { p50, p99, lastMs: last } = budgets.burst;
  const times = (of: 'p50' | 'p99') => `${of} of the neighbour of a burst, ${label}, times that of the neighbour alone`;
  return [
    { label: times('p50'), measured: beside.p50 / alone.p50, most: p50 },
    { label: times('p99'), measured: beside.p99 / alone.p99, most: p99 },
    { label: `last event of a burst, ${label}, ms`, measured: lastMs, most: last },
  ];
}

function tableOf({ alone, scenes: played, verified }: Measured): BenchTable {
  return {
    title: `Local stack: ${burst.events} events of one customer at once, and another one with ${neighbour.perSecond} a second`,
    columns: ['burst to', 'neighbour p50, ms', 'p99', 'max', 'last of the burst, ms', 'new connections for 100'],
    rows: [
      ['none', alone.p50, alone.p99, alone.max, null, null],
      ...played.map(({ label, neighbour: { p50, p99, max }, lastMs, newConnections }) => [
        label,
        ...[p50, p99, max, lastMs, newConnections],
      ]),
    ],
    notes: [
      'One thread runs all batches of a function here. On AWS, each batch has a function of its own.',
      verifiedNote(verified),
    ],
  };
}

import type { BenchContext, Benchmark, BenchResult, Budget } from '../bench.ts';
import { budgets } from '../budgets.ts';
import { buildBundles, bundleFolder } from '../build-bundles.ts';
import { deliveriesPerSecond, readOneByOne, type Subject, startSubject, warmUp } from '../pipeline/rounds.ts';
import { acceptedToPost } from '../support/load.ts';
import { verifiedNote } from '../support/verify-delivered.ts';

/** Events to the quick endpoints in each part, and how many are on their way at once. */
const part = { events: 10_000, inFlight: 100 } as const;
const defaultParts = 10;

/** Endpoints beside the quick ones, with the number of their events in each part. */
const others = { queries: ['?after_ms=5000', '?status=500'], events: 60, perSecond: 4 } as const;

/** Milliseconds: an event that is later counts as late for ever. */
const timeoutMs = 60_000;

type Part = Awaited<ReturnType<typeof playPart>>;

/** The columns of the table. */
const figures: Readonly<Record<string, (part: Part) => number>> = {
  'deliveries per second': ({ perSecond }) => perSecond,
  'new connections for 100': ({ newConnections }) => newConnections,
  'slowest, ms': ({ lastMs }) => lastMs,
  'functions, MB': ({ megabytes }) => megabytes,
  'list, ms': ({ list }) => list,
  'read, ms': ({ read }) => read,
};

export const endurance: Benchmark = {
  name: 'endurance',
  description:
    '100,000 deliveries beside a slow and a failing endpoint: rate, memory, connections, time of reads; four minutes',
  isShort: false,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const { say, signal, options } = context;
  await buildBundles();
  await using parts = new AsyncDisposableStack();
  say('Starting the local stack');
  const subject = await startSubject(parts, context, bundleFolder);
  await warmUp(subject);
  const beside = await Promise.all(others.queries.map((query) => subject.bench.addCustomers(1, query)));
  const measured: Part[] = [];
  const count = options.rounds ?? defaultParts;
  for (let index = 1; index <= count; index += 1) {
    signal.throwIfAborted();
    const played = await playPart(subject, beside.flat());
    measured.push(played);
    const { perSecond, megabytes } = played;
    say(`Part ${index} of ${count}: ${Math.round(perSecond)} deliveries a second, ${Math.round(megabytes)} MB`);
  }
  return resultOf(measured, verifiedNote(await subject.bench.verify()));
}

/** All but the memory is of the quick endpoints; the reads are made after the part. */
async function playPart(subject: Subject, beside: readonly string[]) {
  const { bench, megabytes, customers } = subject;
  const { events: count, inFlight } = part;
  const [events] = await Promise.all([
    bench.play({ customers, count, pace: { inFlight }, timeoutMs }),
    bench.play({ customers: beside, count: others.events, pace: { perSecond: others.perSecond }, timeoutMs }),
  ]);
  const runs = new Set(events.map(({ runId }) => runId));
  const opened = (await bench.arrivals()).filter(({ runId, isFirst }) => isFirst && runs.has(runId)).length;
  const { list, read } = await readOneByOne(subject, 4);
  return {
    perSecond: deliveriesPerSecond(events),
    newConnections: (opened * 100) / count,
    lastMs: Math.max(...events.map(acceptedToPost)),
    megabytes: await megabytes(),
    list: list.p50,
    read: read.p50,
  };
}

function resultOf(parts: readonly Part[], verified: string): BenchResult {
  const [first, second = first] = parts;
  const last = parts.at(-1);
  if (second === undefined || last === undefined) throw new Error('Cannot compare the parts: there are none');
  return {
    tables: [
      {
        title: `Endurance: ${part.events} deliveries to ten quick endpoints in each part`,
        columns: ['part', ...Object.keys(figures)],
        rows: parts.map((each, index) => [index + 1, ...Object.values(figures).map((figure) => figure(each))]),
        notes: [
          `Beside them, an endpoint that takes five seconds and one that fails get ${others.events} events together in each part.`,
          verified,
        ],
      },
    ],
    budgets: budgetsOf(parts, second, last),
  };
}

function budgetsOf(parts: readonly Part[], second: Part, last: Part): readonly Budget[] {
  const highest = (value: (part: Part) => number) => Math.max(...parts.map(value));
  const { tenthRatio, newConnections, lastMs } = budgets;
  const rows = [
    ['rate, second part : last part', second.perSecond / last.perSecond, tenthRatio],
    ['memory, last part : second part', last.megabytes / second.megabytes, tenthRatio],
    ['time of a page of deliveries, last part : second part', last.list / second.list, tenthRatio],
    ['new connections for 100 deliveries', highest((part) => part.newConnections), newConnections],
    ['slowest event, ms', highest((part) => part.lastMs), lastMs],
  ] as const;
  return rows.map(([label, measured, most]) => ({ label, measured, most }));
}

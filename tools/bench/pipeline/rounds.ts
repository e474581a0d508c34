import { join } from 'node:path';
import type { StackOptions } from '../../local/stack/stack-options.ts';
import type { BenchContext } from '../bench.ts';
import { type Spread, spreadOf } from '../figures.ts';
import { startBenchStack } from '../support/bench-stack.ts';
import { acceptedToPost, type PlayedEvent } from '../support/load.ts';
import { startParties } from '../support/parties.ts';
import { measureFloor } from './floor.ts';
import { functionProcesses } from './function-processes.ts';

/** As many deliveries as the stack can make, in full batches. */
export const burst = { events: 1_600, inFlight: 160 } as const;
/** Cold functions have more work for each event, so fewer are in flight. */
const first = { events: 800, inFlight: 16 } as const;
/** A rate far below the maximum. */
export const steady = { perSecond: 30, seconds: 12 } as const;

/** Milliseconds: far above any delivery that was not given back to its queue. */
const timeoutMs = 15_000;

export type Round = Awaited<ReturnType<typeof playRound>>;

/** One build that is measured: a stack of its own with endpoints of its own. */
export type Subject = Awaited<ReturnType<typeof startSubject>>;

/** @param buildFolder bundles of the build */
export async function startSubject(
  parts: AsyncDisposableStack,
  context: BenchContext,
  buildFolder: string,
  options: Partial<StackOptions> = {},
) {
  const parties = await startParties(parts, context.signal);
  const caFile = join(parties.stateDir, 'tls', 'ca.pem');
  const { bundleFolder, ...processes } = await functionProcesses(parts, buildFolder, caFile);
  const bench = await startBenchStack(parts, parties, context, { ...options, bundleFolder });
  return { bench, ...processes, customers: await bench.addCustomers(10) };
}

/** Lets V8 compile, and connections open. */
export async function warmUp({ bench, customers }: Subject): Promise<void> {
  await bench.play({ customers, count: first.events, pace: { inFlight: first.inFlight }, timeoutMs });
}

export async function playRound(subject: Subject) {
  return {
    floor: await measureFloor(subject.bench.table),
    oneEndpoint: await playBurst(subject, 1),
    tenEndpoints: await playBurst(subject, subject.customers.length),
    latency: await playSteady(subject),
    ...(await readOneByOne(subject, 5)),
  };
}

/**
 * Reads a page of an endpoint's deliveries and one delivery, for each customer, one request after the other.
 *
 * @param times how often: a customer may make 60 requests a minute
 */
export async function readOneByOne({ bench }: Subject, times: number) {
  const [list, read]: [number[], number[]] = [[], []];
  for (const reader of bench.readers) {
    const newest = await reader.list();
    for (let count = 0; count < times; count += 1) {
      list.push(await timed(() => reader.list()));
      read.push(await timed(() => reader.read(newest)));
    }
  }
  return { list: spreadOf(list), read: spreadOf(read) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/**
 * Sends events as fast as the queue accepts them. All figures but the rate are for each event.
 *
 * @param customerCount number of customers, each with an endpoint, that take turns
 */
async function playBurst(subject: Subject, customerCount: number) {
  const { bench, cpuMs, tableCalls, customers } = subject;
  const { events: count, inFlight } = burst;
  const chosen = customers.slice(0, customerCount);
  const [called, before, logged] = [await tableCalls(), await cpuMs(), bench.logBytes()];
  const events = await bench.play({ customers: chosen, count, pace: { inFlight }, timeoutMs });
  return {
    perSecond: deliveriesPerSecond(events),
    cpuMs: ((await cpuMs()) - before) / count,
    logBytes: (bench.logBytes() - logged) / count,
    tableCalls: ((await tableCalls()) - called) / count,
  };
}

async function playSteady({ bench, customers }: Subject): Promise<Spread> {
  const { perSecond, seconds } = steady;
  const events = await bench.play({
    customers,
    count: perSecond * seconds,
    pace: { perSecond },
    timeoutMs,
  });
  return spreadOf(events.map(acceptedToPost));
}

/** From the first accepted message to the last POST, without events that are late. */
export function deliveriesPerSecond(events: readonly PlayedEvent[]): number {
  const firstAt = Math.min(...events.map(({ acceptedAt }) => acceptedAt));
  const arrivals = events.flatMap(({ arrivedAt }) => (arrivedAt === null ? [] : [arrivedAt]));
  return (arrivals.length * 1_000) / (Math.max(...arrivals) - firstAt);
}

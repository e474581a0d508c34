import { spreadOf } from '../percentiles.ts';
import { acceptedToPost } from '../support/accepted-to-post.ts';
import type { PlayedEvent } from '../support/load.ts';
import { type CpuTimes, cpuPerEvent, readCpuTimes } from './cpu-times.ts';
import type { Burst, Steady } from './measured.ts';
import type { Subject } from './subject.ts';

/** As many deliveries as the stack can make. */
export const burst = { events: 800, inFlight: 64 } as const;
/** Cold functions have more work for each event, so fewer are in flight. */
const first = { events: 800, inFlight: 16 } as const;
/** A rate far below the maximum. */
export const steady = { perSecond: 30, seconds: 12 } as const;

/** Lets V8 compile, and connections open. */
export async function warmUp({ play, endpoints }: Subject): Promise<void> {
  await play({ recipients: endpoints, count: first.events, pace: { inFlight: first.inFlight } });
}

/** @param endpointCount number of endpoints, each of its own customer, that take turns */
export async function playBurst(subject: Subject, endpointCount: number): Promise<Burst> {
  const { result, cpu } = await withCpu(subject, burst.events, () =>
    subject.play({
      recipients: subject.endpoints.slice(0, endpointCount),
      count: burst.events,
      pace: { inFlight: burst.inFlight },
    }),
  );
  return { perSecond: deliveriesPerSecond(result), cpu };
}

export async function playSteady(subject: Subject): Promise<Steady> {
  const count = steady.perSecond * steady.seconds;
  const { result, cpu } = await withCpu(subject, count, () =>
    subject.play({ recipients: subject.endpoints, count, pace: { perSecond: steady.perSecond } }),
  );
  return { latency: spreadOf(result.map(acceptedToPost)), cpu };
}

/** From the first accepted message to the last POST. */
function deliveriesPerSecond(events: readonly PlayedEvent[]): number {
  const firstAt = Math.min(...events.map(({ acceptedAt }) => acceptedAt));
  const lastAt = Math.max(...events.map(({ arrivedAt }) => arrivedAt ?? Number.POSITIVE_INFINITY));
  return (events.length * 1_000) / (lastAt - firstAt);
}

async function withCpu<R>(
  { bench }: Subject,
  events: number,
  work: () => Promise<R>,
): Promise<{ readonly result: R; readonly cpu: CpuTimes }> {
  const before = await readCpuTimes(bench.stack);
  const result = await work();
  return { result, cpu: cpuPerEvent(before, await readCpuTimes(bench.stack), events) };
}

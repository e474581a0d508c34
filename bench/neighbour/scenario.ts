import { type Spread, spreadOf } from '../percentiles.ts';
import { type Arrival, type Capacity, playQueue } from './queue-model.ts';

/** One endpoint with a backlog, beside others that receive a steady stream of events. */
export type Scenario = {
  /** Deliveries that wait for the slow endpoint when the stream starts. */
  readonly waiting: number;
  readonly quickEndpoints: number;
  /** Events per second across all quick endpoints. */
  readonly rate: number;
  readonly seconds: number;
};

/** Milliseconds per attempt at the slow endpoint: the timeout of an attempt. */
export const slowMs = 10_000;

/** Milliseconds per delivery to a quick endpoint: an assumption. */
const quickBusyMs = 200;

/** A deployed stage with default settings; a test compares these numbers with the settings. */
export const deployed = { functions: 400, batchSize: 10 } as const;

/** How Lambda adds functions while messages wait. AWS documents the totals, but not the steps. */
const scaling = { first: 5, perMinute: 300 } as const;

export const rampKinds = ['even', 'by the minute'] as const;
export type RampKind = (typeof rampKinds)[number];

/** Ramps up from time 0: one function at a time, or 300 at the end of each minute. */
export function ramp(kind: RampKind, most: number): readonly Capacity[] {
  const step = kind === 'even' ? 1 : scaling.perMinute;
  const stepMs = (step * 60_000) / scaling.perMinute;
  const steps = Math.ceil(Math.max(0, most - scaling.first) / step);
  return Array.from({ length: steps + 1 }, (_, index) => ({
    from: index * stepMs,
    functions: Math.min(most, scaling.first + index * step),
  }));
}

export function always(functions: number): readonly Capacity[] {
  return [{ from: 0, functions }];
}

export type ModelledRun = Scenario & {
  readonly order: 'plain' | 'fair';
  readonly batchSize: number;
  readonly capacity: readonly Capacity[];
  /** Milliseconds from event to POST when nothing waits. */
  readonly handlingMs: number;
};

/** The modelled time from event to POST at the quick endpoints. */
export function modelQuick(run: ModelledRun): Spread {
  const arrivals = [...backlog(run.waiting), ...trickle(run)];
  const waits = playQueue({ ...run, arrivals });
  return spreadOf(waits.slice(run.waiting).map((wait) => run.handlingMs + wait));
}

function backlog(count: number): readonly Arrival[] {
  return Array.from({ length: count }, () => ({ at: 0, group: 'slow', busyMs: slowMs }));
}

function trickle({ quickEndpoints, rate, seconds }: Scenario): readonly Arrival[] {
  return Array.from({ length: rate * seconds }, (_, index) => ({
    at: (index * 1_000) / rate,
    group: `quick ${index % quickEndpoints}`,
    busyMs: quickBusyMs,
  }));
}

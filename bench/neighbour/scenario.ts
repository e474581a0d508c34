import { type Spread, spreadOf } from '../percentiles.ts';
import { type Arrival, type Capacity, playQueue } from './queue-model.ts';

/** One slow endpoint beside others that receive a steady stream of events. */
export type Scenario = {
  /** Deliveries that wait for the slow endpoint when the streams start. */
  readonly waiting: number;
  /** Events per second for the slow endpoint. Default 0. */
  readonly slowRate?: number;
  /** Milliseconds of an attempt at the slow endpoint. Default: the timeout of an attempt. */
  readonly slowMs?: number;
  readonly quickEndpoints: number;
  /** Events per second across all quick endpoints. */
  readonly rate: number;
  readonly seconds: number;
};

/** Milliseconds until an attempt times out. */
export const attemptTimeoutMs = 10_000;

/** Milliseconds per delivery to a quick endpoint: an assumption. */
const quickBusyMs = 200;

/** Milliseconds until an endpoint that has not answered is marked as slow. */
const markAfterMs = 1_000;

/** Milliseconds to pass a delivery on to the slow lane: an assumption. */
const passOnMs = 50;

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
  /** Whether a slow endpoint is marked and then has a queue and functions of its own. Default `false`. */
  readonly slowLane?: boolean;
  readonly batchSize: number;
  readonly capacity: readonly Capacity[];
  /** Milliseconds from event to POST when nothing waits. */
  readonly handlingMs: number;
};

/** The modelled time from event to POST at the quick endpoints. */
export function modelQuick(run: ModelledRun): Spread {
  const all = [...backlog(run), ...stream(run)];
  const arrivals = run.slowLane === true ? withoutSlowLane(run, all) : all;
  const waits = playQueue({ ...run, arrivals });
  return spreadOf(
    arrivals.flatMap(({ group }, index) =>
      group === slowGroup ? [] : [run.handlingMs + (waits[index] ?? 0)],
    ),
  );
}

/**
 * The ordinary lane of a stage with a slow lane. Until the first attempt marks the endpoint, both lanes are one; then
 * new deliveries avoid the ordinary lane, and those that wait in it are passed on.
 */
function withoutSlowLane(run: ModelledRun, all: readonly Arrival[]): readonly Arrival[] {
  const first = all.findIndex(({ group }) => group === slowGroup);
  const waitMs = playQueue({ ...run, arrivals: all })[first] ?? 0;
  const markedAt = (all[first]?.at ?? 0) + waitMs + markAfterMs;
  return all
    .filter(({ group, at }) => group !== slowGroup || at < markedAt)
    .map((arrival) =>
      arrival.group === slowGroup ? { ...arrival, later: { from: markedAt, busyMs: passOnMs } } : arrival,
    );
}

const slowGroup = 'slow';

function slowArrival({ slowMs = attemptTimeoutMs }: Scenario, at: number): Arrival {
  return { at, group: slowGroup, busyMs: slowMs };
}

function backlog(scenario: Scenario): readonly Arrival[] {
  return Array.from({ length: scenario.waiting }, () => slowArrival(scenario, 0));
}

/** The events for all endpoints, in order of time. */
function stream(scenario: Scenario): readonly Arrival[] {
  const { quickEndpoints, rate, slowRate = 0, seconds } = scenario;
  const quick = timesOf(rate, seconds).map((at, index) => ({
    at,
    group: `quick ${index % quickEndpoints}`,
    busyMs: quickBusyMs,
  }));
  const slow = timesOf(slowRate, seconds).map((at) => slowArrival(scenario, at));
  return [...quick, ...slow].sort((one, other) => one.at - other.at);
}

function timesOf(rate: number, seconds: number): readonly number[] {
  return Array.from({ length: Math.floor(rate * seconds) }, (_, index) => (index * 1_000) / rate);
}

import { type Spread, spreadOf } from '../percentiles.ts';
import { type Arrival, type Capacity, playQueue } from './queue-model.ts';

/** One endpoint with a backlog, beside others that get a steady trickle of events. */
export type Scenario = {
  /** Deliveries that wait for the slow endpoint as the trickle begins. */
  readonly waiting: number;
  readonly quickEndpoints: number;
  /** Events a second, over all quick endpoints. */
  readonly rate: number;
  readonly seconds: number;
};

/** What every attempt at the slow endpoint takes: the ten seconds after which it is given up. */
export const slowMs = 10_000;

/** How long a function is taken to be busy with a quick endpoint. */
const quickBusyMs = 200;

/** A deployed stage by default; a test compares it with the deployment's settings. */
export const deployed = { functions: 400, batchSize: 10 } as const;

/** How Lambda adds functions while messages wait: AWS names these figures, and not in which steps it adds them. */
const scaling = { first: 5, perMinute: 300 } as const;

export const rampKinds = ['even', 'by the minute'] as const;
export type RampKind = (typeof rampKinds)[number];

/** From a backlog at time 0 on: one function after another, or a minute's worth at the end of each minute. */
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
  /** From event to POST when nothing has to wait. */
  readonly handlingMs: number;
};

/** From event to POST at the quick endpoints, as the model has it. */
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

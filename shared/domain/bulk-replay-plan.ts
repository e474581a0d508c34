import type { ReplaySelection } from './bulk-replay.ts';
import type { Endpoint } from './endpoint.ts';

/** What a plan is asked for. */
export type PlanRequest = ReplaySelection & {
  /** Replays a second. */
  readonly rate: number;
};

/** The deliveries of a selection as numbers. Times are epoch milliseconds; `null` when there is nothing to replay. */
export type ReplayableCount = {
  readonly replayable: number;
  /** Selected deliveries whose event was replayed, or is replayed with another delivery. */
  readonly replayedEarlier: number;
  readonly oldest: number | null;
  readonly newest: number | null;
  /** `false` when the count ended before everything was read; the numbers are then lower bounds. */
  readonly complete: boolean;
};

/** What a bulk replay would do at one endpoint. */
export type PlannedEndpoint = Pick<ReplayableCount, 'oldest' | 'newest' | 'complete'> & {
  readonly endpoint: Endpoint;
  /** Deliveries that would be replayed: none unless the endpoint is active. */
  readonly deliveries: number;
  readonly skipped: {
    /** Their event was replayed, or is replayed with another delivery. */
    readonly replayedEarlier: number;
    /** The endpoint is not active, so it receives no replays. */
    readonly notActive: number;
  };
};

/** What bulk replays of some endpoints would do. `oldest` and `newest`: of the deliveries that would be replayed. */
export type BulkReplayPlan = Omit<ReplayableCount, 'replayable'> & {
  readonly endpoints: readonly PlannedEndpoint[];
  readonly deliveries: number;
  /** How long the replays take at the pace, one endpoint after another; milliseconds. */
  readonly durationMs: number;
};

export function plannedEndpoint(endpoint: Endpoint, count: ReplayableCount): PlannedEndpoint {
  const { replayable, replayedEarlier, oldest, newest, complete } = count;
  const isActive = endpoint.status === 'active';
  return {
    endpoint,
    deliveries: isActive ? replayable : 0,
    skipped: { replayedEarlier, notActive: isActive ? 0 : replayable },
    oldest,
    newest,
    complete,
  };
}

/** The plan of several endpoints together. */
export function planOf(endpoints: readonly PlannedEndpoint[], { rate }: Pick<PlanRequest, 'rate'>): BulkReplayPlan {
  const replayed = endpoints.filter(({ deliveries }) => deliveries > 0);
  const deliveries = replayed.reduce((sum, planned) => sum + planned.deliveries, 0);
  const times = replayed.flatMap(({ oldest, newest }) => [oldest ?? [], newest ?? []].flat());
  return {
    endpoints,
    deliveries,
    replayedEarlier: endpoints.reduce((sum, { skipped }) => sum + skipped.replayedEarlier, 0),
    oldest: times.length === 0 ? null : Math.min(...times),
    newest: times.length === 0 ? null : Math.max(...times),
    durationMs: Math.ceil((deliveries * 1000) / rate),
    complete: endpoints.every(({ complete }) => complete),
  };
}

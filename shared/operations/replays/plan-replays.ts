import type { ReplaySelection } from '#shared/domain/bulk-replay.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { CountLimits, CountReplayable, ReplayableCount } from './replayable.ts';

/** What a bulk replay would do at one endpoint. */
export type PlannedEndpoint = {
  readonly endpoint: Endpoint;
  /** Deliveries that would be replayed: none unless the endpoint is active. */
  readonly deliveries: number;
  readonly skipped: {
    /** They have a replay already. */
    readonly replayedEarlier: number;
    /** The endpoint is not active, so it receives no replays. */
    readonly notActive: number;
  };
  /** Creation times of the first and last selected delivery without a replay; `null` when there is none. */
  readonly oldest: number | null;
  readonly newest: number | null;
  /** `false` when the numbers are lower bounds, because the plan ended before everything was read. */
  readonly complete: boolean;
};

export type ReplayPlan = {
  readonly endpoints: readonly PlannedEndpoint[];
  readonly deliveries: number;
  readonly oldest: number | null;
  readonly newest: number | null;
  /** How long the replays take at the pace, one endpoint after another; milliseconds. */
  readonly durationMs: number;
  readonly complete: boolean;
};

export type PlanRequest = ReplaySelection & {
  /** Replays a second. */
  readonly rate: number;
};

/**
 * Says what a bulk replay would do, without doing it. Only deliveries of the selected time are read.
 *
 * @param limits for the count of each endpoint; once it may not continue, the plan ends incomplete, and the endpoints
 *   that were not reached count as none
 */
export function planReplays({ countReplayable }: { readonly countReplayable: CountReplayable }) {
  return async (
    endpoints: readonly Endpoint[],
    request: PlanRequest,
    limits: CountLimits = { mayContinue: () => true },
  ): Promise<ReplayPlan> => {
    const { rate, ...selection } = request;
    const planned: PlannedEndpoint[] = [];
    for (const endpoint of endpoints) {
      // One after another: the count of one endpoint reads concurrently, as fast as a partition allows.
      planned.push(plannedFor(endpoint, await countReplayable(endpoint, selection, limits)));
    }
    return planOf(planned, rate);
  };
}

function plannedFor(endpoint: Endpoint, count: ReplayableCount): PlannedEndpoint {
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
export function planOf(endpoints: readonly PlannedEndpoint[], rate: number): ReplayPlan {
  const replayed = endpoints.filter(({ deliveries }) => deliveries > 0);
  const deliveries = replayed.reduce((sum, planned) => sum + planned.deliveries, 0);
  const times = replayed.flatMap(({ oldest, newest }) => [oldest ?? [], newest ?? []].flat());
  return {
    endpoints,
    deliveries,
    oldest: times.length === 0 ? null : Math.min(...times),
    newest: times.length === 0 ? null : Math.max(...times),
    durationMs: Math.ceil((deliveries * 1000) / rate),
    complete: endpoints.every(({ complete }) => complete),
  };
}

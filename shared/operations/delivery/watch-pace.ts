import type { Endpoint } from '#shared/domain/endpoint.ts';
import { isQuickAgain, type Lane, laneOf } from '#shared/domain/lane.ts';
import type { Clock, PostEvent, Report } from '#shared/operations/ports.ts';

/** Marks a live endpoint as slow since a time (epoch milliseconds), unless it is marked. @returns whether it did */
export type MarkSlow = (endpoint: Endpoint, since: number) => Promise<boolean>;

/** Clears the mark of a live endpoint, if it is the one that was read. @returns whether it did */
export type ClearSlow = (endpoint: Endpoint) => Promise<boolean>;

export type PaceDeps = {
  readonly now: Clock;
  readonly postEvent: PostEvent;
  readonly markSlow: MarkSlow;
  readonly clearSlow: ClearSlow;
  readonly report: Report;
};

/** The pace of one endpoint during one batch. */
export type Pace = {
  /** Posts, and marks the endpoint as slow while a POST is not answered in time. */
  readonly postEvent: PostEvent;
  /** The lane of later attempts, as far as it is known by now. */
  readonly lane: () => Lane;
  /**
   * Call it when all attempts are recorded. Waits for the ends of their responses and for the writes, and clears an old
   * mark if they were quick. Never fails.
   */
  readonly settle: () => Promise<void>;
};

/**
 * Watches how long one endpoint takes to answer the attempts of one batch. The mark is written at most once, beside the
 * attempts: nothing waits for it before `settle`, and a failure is only reported.
 *
 * @param endpoint as the worker read it: a mark that it has is not written again
 */
export function watchPace(deps: PaceDeps, endpoint: Endpoint): Pace {
  const waits: Promise<number>[] = [];
  let mark: Promise<void> | null = null;
  const onSlow = (): void => {
    if (endpoint.slowSince !== null) return;
    mark ??= guarded(deps, endpoint, 'endpoint.slow', () => deps.markSlow(endpoint, deps.now()));
  };
  return {
    postEvent: async (request) => {
      const result = await deps.postEvent({ ...request, onSlow });
      if (typeof result !== 'string') waits.push(result.ended);
      return result;
    },
    lane: () => (mark === null ? laneOf(endpoint) : 'slow'),
    settle: async () => {
      if (isQuickAgain(endpoint, await Promise.all(waits), deps.now())) {
        await guarded(deps, endpoint, 'endpoint.quick_again', () => deps.clearSlow(endpoint));
      }
      await mark;
    },
  };
}

/** The lane only saves time: no attempt depends on these writes. */
async function guarded(
  { report }: PaceDeps,
  { customerId, id }: Endpoint,
  name: 'endpoint.slow' | 'endpoint.quick_again',
  write: () => Promise<boolean>,
): Promise<void> {
  try {
    if (await write()) report({ name, endpoint: { customerId, id } });
  } catch (cause) {
    report({ name: 'step.failed', step: 'lane', subject: { customerId, webhookId: id }, cause });
  }
}

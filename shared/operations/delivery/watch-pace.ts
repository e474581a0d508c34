import { clearSlow, markSlow, narrowPace, notePace, takeTurn } from '#shared/aws/table/endpoints/endpoint-pace.ts';
import type { PostResult } from '#shared/domain/attempt.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { isQuickAgain, type Lane, laneOf } from '#shared/domain/lane.ts';
import {
  afterAnswer,
  afterFailure,
  afterSilence,
  answersFor,
  firstWindow,
  isStillAnswering,
  narrowed,
  type PostWindow,
  turnLasts,
  withNoted,
} from '#shared/domain/post-window.ts';
import type { Needs } from '#shared/operations/needs.ts';
import type { PostEvent } from '#shared/operations/ports.ts';
import type { EndpointGate } from './endpoint-gate.ts';
import type { SharedReceiver } from './receiver.ts';

export type PaceDeps = Pick<Needs, 'table' | 'now' | 'lane' | 'postEvent' | 'report'>;

/** The pace of one endpoint during one batch. */
export type Pace = {
  /** Posts, and marks the endpoint as slow while it keeps an attempt waiting. */
  readonly postEvent: PostEvent;
  /** The lane of later attempts, as far as it is known by now. */
  readonly lane: () => Lane;
  /**
   * Call it when all attempts are recorded. Waits for the ends of their responses and for the writes, and clears an old
   * mark if they were quick. Never fails.
   */
  readonly settle: () => Promise<void>;
};

/** Workers note the pace of an endpoint at most once in this time, in milliseconds. */
const noteInterval = 2_000;

/**
 * Watches how long one endpoint takes to answer the attempts of one batch: marks it as slow, adapts the window of its
 * gate, and notes the pace for other workers. These writes run beside the attempts: nothing waits for them before
 * `settle`, and a failure is only reported.
 */
export function watchPace(deps: PaceDeps, receiver: SharedReceiver, gate: EndpointGate): Pace {
  const { endpoint } = receiver;
  const waits: Promise<number>[] = [];
  let mark: Promise<unknown> | null = null;
  const onSlow = (): void => {
    if (endpoint.slowSince !== null) return;
    // The slow lane makes every attempt itself.
    if (deps.lane !== 'slow') gate.close();
    mark ??= guarded(deps, endpoint, 'endpoint.slow', () => markSlow(deps.table, endpoint, deps.now()));
  };
  const learn = async (result: PostResult, tookMs: number): Promise<number> => {
    const known = withNoted(gate.window, receiver.newest.slowPace);
    if (result.responseStatus !== null) gate.window = afterAnswer(known, tookMs, gate.isFull);
    else if (result.outcome === 'timed_out') gate.window = await afterTimeout(deps, receiver, gate, tookMs);
    else {
      gate.window = afterFailure(known, tookMs, gate.isFull);
      return tookMs;
    }
    await mark;
    if (endpoint.slowSince === null && mark === null) return tookMs;
    // A post without an answer does not renew the note of an answer.
    const isLate = result.responseStatus === null && Number.isFinite(gate.window.size);
    await (isLate ? noteNarrower : noteWindow)(deps, receiver, gate);
    return tookMs;
  };
  return {
    postEvent: async (request) => {
      const result = await deps.postEvent({ ...request, onSlow });
      if (typeof result !== 'string') waits.push(result.ended.then((tookMs) => learn(result, tookMs)));
      return result;
    },
    lane: () => (mark === null ? laneOf(endpoint) : 'slow'),
    settle: async () => {
      if (isQuickAgain(endpoint, await Promise.all(waits), deps.now())) {
        await guarded(deps, endpoint, 'endpoint.quick_again', () => clearSlow(deps.table, endpoint));
      }
      await mark;
    },
  };
}

/** Whether a worker may begin to post to the endpoint. */
export async function mayBegin(deps: PaceDeps, endpoint: Endpoint): Promise<boolean> {
  const { table, lane, now } = deps;
  const lasts = turnLasts(endpoint.slowPace);
  if (lane !== 'slow' || endpoint.slowSince === null || lasts === null) return true;
  try {
    return await takeTurn(table, endpoint, now(), now() + lasts);
  } catch (cause) {
    reportFailure(deps, endpoint, cause);
    return true;
  }
}

/** Only if no worker got an answer for long, the endpoint counts as one that answers nothing. */
async function afterTimeout(
  { now }: PaceDeps,
  receiver: SharedReceiver,
  { window }: EndpointGate,
  waitedMs: number,
): Promise<PostWindow> {
  await receiver.read();
  const pace = receiver.newest.slowPace;
  return afterSilence(window, isStillAnswering(pace, now()), waitedMs);
}

async function noteWindow(deps: PaceDeps, receiver: SharedReceiver, gate: EndpointGate): Promise<void> {
  const { newest } = receiver;
  const notedAt = deps.now();
  const isAnswering = Number.isFinite(gate.window.size);
  const lasts = isAnswering ? noteInterval : answersFor;
  const isKnown = newest.slowPace?.isAnswering === isAnswering && notedAt - newest.slowPace.notedAt < lasts;
  if (isKnown) return;
  const note = () => {
    const window = isAnswering ? gate.window : firstWindow;
    return notePace(deps.table, newest, { notedAt, isAnswering, window }, notedAt - lasts);
  };
  try {
    if ((await note()) || !isAnswering) return;
    // Another worker may have seen a faster answer, which says more about the endpoint.
    await receiver.read();
    gate.window = withNoted(gate.window, receiver.newest.slowPace);
    await note();
  } catch (cause) {
    reportFailure(deps, newest, cause);
  }
}

/** Otherwise each worker would find out by an attempt that the endpoint does not answer as many posts at once. */
async function noteNarrower(deps: PaceDeps, { newest }: SharedReceiver, { window }: EndpointGate): Promise<void> {
  const pace = narrowed(newest.slowPace, window);
  if (pace === null) return;
  try {
    await narrowPace(deps.table, newest, pace);
  } catch (cause) {
    reportFailure(deps, newest, cause);
  }
}

/** The lane and the pace only save time: no attempt depends on these writes. */
async function guarded(
  deps: PaceDeps,
  endpoint: Endpoint,
  name: 'endpoint.slow' | 'endpoint.quick_again',
  write: () => Promise<boolean>,
): Promise<void> {
  try {
    const { customerId, id } = endpoint;
    if (await write()) deps.report({ name, endpoint: { customerId, id } });
  } catch (cause) {
    reportFailure(deps, endpoint, cause);
  }
}

function reportFailure({ report }: PaceDeps, { customerId, id: webhookId }: Endpoint, cause: unknown): void {
  report({ name: 'step.failed', step: 'lane', subject: { customerId, webhookId }, cause });
}

import { invalidRequest, type Problem, problem } from '#shared/contract/problem.ts';
import {
  type BulkReplay,
  newBulkReplay,
  type ReplayRequest,
  type ReplaySelection,
  stepSeconds,
} from '#shared/domain/bulk-replay.ts';
import { activeEndpoint } from '#shared/operations/found.ts';
import type { Clock, RandomBytes, ReadEndpoint, Report } from '#shared/operations/ports.ts';
import { freshSeed, type Seed } from '#shared/operations/seed.ts';
import type {
  ReadBulkReplay,
  ReadBulkReplays,
  ReadRunningReplay,
  SendReplayStep,
  StoreBulkReplay,
} from './ports.ts';

type Deps = {
  readonly now: Clock;
  readonly randomBytes: RandomBytes;
  readonly readEndpoint: ReadEndpoint;
  readonly readRunningReplay: ReadRunningReplay;
  readonly readBulkReplay: ReadBulkReplay;
  readonly readBulkReplays: ReadBulkReplays;
  readonly storeBulkReplay: StoreBulkReplay;
  readonly sendReplayStep: SendReplayStep;
  readonly report: Report;
};

/** Seconds until the first step: the job is stored by then. A message that comes earlier is sent once more. */
const firstStepDelay = 3;

/**
 * Starts a bulk replay of an active endpoint.
 *
 * The message of the first step is sent before the job is stored, so that no stored job is without a message. Without its
 * job, the message does nothing.
 *
 * @throws Problem `invalid_request`, `not_found`, `webhook_not_active`, `replay_in_progress`
 */
export function startBulkReplay(deps: Deps) {
  return async (request: ReplayRequest, seed: Seed = freshSeed(deps)): Promise<BulkReplay> => {
    const { customerId, webhookId, rate, requestedBy } = request;
    const now = deps.now();
    const selection = pastSelection(request.selection, seed.at);
    const [endpoint, running, { rows: newest }] = await Promise.all([
      deps.readEndpoint(customerId, webhookId),
      deps.readRunningReplay(customerId, webhookId),
      deps.readBulkReplays(customerId, webhookId, { after: null, limit: 1 }),
    ]);
    activeEndpoint(endpoint);
    const job = newBulkReplay(
      { customerId, webhookId, selection, rate, requestedBy },
      seed.at,
      seed.entropy('bulkReplay'),
    );
    const earlier = seed.isRepeated ? await deps.readBulkReplay(job) : null;
    if (earlier !== null) return earlier;
    if (running !== null) throw inProgress(running);

    await deps.sendReplayStep({ key: job, step: job.step }, startDelay(newest[0], now));
    if (!(await deps.storeBulkReplay(job))) {
      throw inProgress(await deps.readRunningReplay(customerId, webhookId));
    }
    deps.report({ name: 'replay.started', job });
    return job;
  };
}

/**
 * Seconds until the first step. The replays of the job before may be on a queue for the time of a step after its end,
 * and the endpoint receives them and those of this job at the pace of one.
 */
function startDelay(before: BulkReplay | undefined, now: number): number {
  const endedAt = before?.endedAt ?? null;
  if (endedAt === null) return firstStepDelay;
  const left = Math.ceil((endedAt - now) / 1000) + stepSeconds;
  return Math.min(Math.max(left, firstStepDelay), stepSeconds);
}

/**
 * The selection with its end. It lies in the past, so the deliveries to replay are known, and replays of the job are not
 * among them.
 *
 * @throws Problem `invalid_request`
 */
export function pastSelection(given: ReplayRequest['selection'], now: number): ReplaySelection {
  const createdBefore = given.createdBefore ?? now;
  if (given.createdAfter >= now)
    throw invalidRequest('/created_after', '`created_after` must be in the past');
  if (createdBefore > now) {
    throw invalidRequest(
      '/created_before',
      '`created_before` must not be in the future. Leave it out to replay everything until now',
    );
  }
  if (createdBefore <= given.createdAfter) {
    throw invalidRequest('/created_before', '`created_before` must be after `created_after`');
  }
  return { ...given, createdBefore };
}

function inProgress(running: string | null): Problem {
  return problem('replay_in_progress', running === null ? {} : { replay_id: running });
}

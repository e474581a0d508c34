import { readEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import {
  readBulkReplay,
  readBulkReplays,
  readRunningReplay,
  storeBulkReplay,
} from '#shared/aws/table/replays/bulk-replays.ts';
import { type Problem, problem } from '#shared/contract/problem.ts';
import { type BulkReplay, newBulkReplay, type ReplayRequest, stepSeconds } from '#shared/domain/bulk-replay.ts';
import { activeEndpoint } from '#shared/operations/found.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { freshSeed, type Seed } from '#shared/operations/seed.ts';
import { knownSource, pastSelection } from './selection.ts';

type Deps = Pick<Needs, 'table' | 'now' | 'randomBytes' | 'sendReplayStep' | 'report'>;

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
    const { table } = deps;
    const { customerId, webhookId, rate, requestedBy } = request;
    const now = deps.now();
    const selection = pastSelection(request.selection, seed.at);
    const [endpoint, running, { rows: newest }] = await Promise.all([
      readEndpoint(table, customerId, webhookId),
      readRunningReplay(table, customerId, webhookId),
      readBulkReplays(table, customerId, webhookId, { after: null, limit: 1 }),
    ]);
    await knownSource(table, activeEndpoint(endpoint), selection);
    const job = newBulkReplay(
      { customerId, webhookId, selection, rate, requestedBy },
      seed.at,
      seed.entropy('bulkReplay'),
    );
    const earlier = seed.isRepeated ? await readBulkReplay(table, job) : null;
    if (earlier !== null) return earlier;
    if (running !== null) throw inProgress(running);

    await deps.sendReplayStep({ key: job, step: job.step }, startDelay(newest[0], now));
    if (!(await storeBulkReplay(table, job))) {
      throw inProgress(await readRunningReplay(table, customerId, webhookId));
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

function inProgress(running: string | null): Problem {
  return problem('replay_in_progress', running === null ? {} : { replay_id: running });
}

import { storeActivity } from '#shared/aws/table/endpoints/activity.ts';
import type { Activity } from '#shared/domain/activity.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { freshSeed, type Seed } from '#shared/operations/seed.ts';

type Deps = Pick<Needs, 'table' | 'now' | 'randomBytes' | 'report'>;

/**
 * Notes what a request has done to an endpoint, before its answer. What was done stays done when that fails: the answer
 * may have a secret, which is shown once. Another try of a request with a key notes the same activity.
 */
export function noteActivity(deps: Deps) {
  return async (done: Omit<Activity, 'id'>, seed: Seed = freshSeed(deps)): Promise<void> => {
    try {
      const id = makeId('activity', seed.at, seed.entropy('activity'));
      await storeActivity(deps.table, { ...done, id });
    } catch (cause) {
      const { customerId, webhookId } = done;
      deps.report({ name: 'step.failed', step: 'note-activity', subject: { customerId, webhookId }, cause });
    }
  };
}

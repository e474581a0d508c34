import * as z from 'zod/mini';
import { timestamp } from '#shared/contract/timestamp.ts';
import { type Activity, activityActions } from '#shared/domain/activity.ts';
import { type IdKind, idPrefixes, idTime } from '#shared/domain/ids.ts';

export const activityRecord = z.object({
  id: z.string(),
  action: z.enum(activityActions),
  requested_by: z.enum(['customer', 'operator']),
  credential_id: z.nullable(z.string()),
  delivery_id: z.nullable(z.string()),
  replay_id: z.nullable(z.string()),
  created_at: z.string(),
});

export function presentActivity(activity: Activity): z.infer<typeof activityRecord> {
  const { id, action, credentialId, subjectId } = activity;
  const subjectOf = (kind: IdKind) => (subjectId?.startsWith(idPrefixes[kind]) ? subjectId : null);
  return {
    id,
    action,
    requested_by: credentialId === null ? 'operator' : 'customer',
    credential_id: credentialId,
    delivery_id: subjectOf('delivery'),
    replay_id: subjectOf('bulkReplay'),
    created_at: timestamp(idTime(id)),
  };
}

import * as z from 'zod/mini';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { type Activity, activityActions, activityLasts } from '#shared/domain/activity.ts';
import { idTime } from '#shared/domain/ids.ts';
import { activityKey } from '../keys.ts';
import { reads } from '../stored-row.ts';

const activityItem = z.object({
  pk: z.string(),
  sk: z.string(),
  action: z.enum(activityActions),
  credential: z.optional(z.string()),
  subject: z.optional(z.string()),
});

export function toActivityItem(activity: Activity) {
  const { id, action, credentialId, subjectId } = activity;
  return {
    ...activityKey(activity),
    action,
    ...(credentialId === null ? {} : { credential: credentialId }),
    ...(subjectId === null ? {} : { subject: subjectId }),
    [tableSchema.expiresAt]: Math.ceil((idTime(id) + activityLasts) / 1000),
  };
}

export const fromActivityItem = reads('Activity', activityItem, (item): Activity => {
  const [, customerId = '', webhookId = ''] = item.pk.split('#');
  return {
    id: item.sk,
    customerId,
    webhookId,
    action: item.action,
    credentialId: item.credential ?? null,
    subjectId: item.subject ?? null,
  };
});

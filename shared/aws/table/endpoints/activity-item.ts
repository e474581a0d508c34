import * as z from 'zod/mini';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { type Activity, activityActions, activityLasts } from '#shared/domain/activity.ts';
import { idTime } from '#shared/domain/ids.ts';
import { activityKey } from '../keys.ts';
import { type Attributes, orNull, storedRecord } from '../stored-row.ts';

const stored = storedRecord('Activity', {
  pk: z.string(),
  sk: z.string(),
  action: z.enum(activityActions),
  credential: orNull(z.string()),
  subject: orNull(z.string()),
});

export function toActivityItem(activity: Activity): Attributes {
  const { id, credentialId: credential, subjectId: subject } = activity;
  return {
    ...activityKey(activity),
    ...stored.attributes({ ...activity, credential, subject }),
    [tableSchema.expiresAt]: Math.ceil((idTime(id) + activityLasts) / 1000),
  };
}

export function fromActivityItem(row: unknown): Activity {
  const { pk, sk: id, action, credential: credentialId, subject: subjectId } = stored.read(row);
  const [, customerId = '', webhookId = ''] = pk.split('#');
  return { id, customerId, webhookId, action, credentialId, subjectId };
}

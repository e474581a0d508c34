import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { type Activity, activityActions, activityLasts } from '#shared/domain/activity.ts';
import { idTime } from '#shared/domain/ids.ts';
import type { ReadActivity } from '#shared/operations/customer/list-activity.ts';
import type { StoreActivity } from '#shared/operations/customer/note-activity.ts';
import { activityKey } from '../keys.ts';
import { readSorted } from '../results/result-pages.ts';
import { reads } from '../stored-row.ts';

const activityItem = z.object({
  pk: z.string(),
  sk: z.string(),
  action: z.enum(activityActions),
  credential: z.optional(z.string()),
  subject: z.optional(z.string()),
});

function toActivityItem(activity: Activity) {
  const { id, action, credentialId, subjectId } = activity;
  return {
    ...activityKey(activity),
    action,
    ...(credentialId === null ? {} : { credential: credentialId }),
    ...(subjectId === null ? {} : { subject: subjectId }),
    [tableSchema.expiresAt]: Math.ceil((idTime(id) + activityLasts) / 1000),
  };
}

const fromActivityItem = reads('Activity', activityItem, (item): Activity => {
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

export function storeActivity({ client, name }: Table): StoreActivity {
  return async (activity) => {
    await client.put({ TableName: name, Item: toActivityItem(activity) });
  };
}

export function readActivity(table: Table): ReadActivity {
  return (customerId, webhookId, page) => {
    const { pk } = activityKey({ customerId, webhookId, id: '' });
    return readSorted(table, { pk, prefix: '' }, page, fromActivityItem);
  };
}

import type { Table } from '#shared/aws/clients.ts';
import type { Activity } from '#shared/domain/activity.ts';
import type { PageRequest, Rows } from '#shared/operations/paging.ts';
import { activityKey } from '../keys.ts';
import { readSorted } from '../results/result-pages.ts';
import { fromActivityItem, toActivityItem } from './activity-item.ts';

/** Stores what was done; once more with the same id, it changes nothing. */
export async function storeActivity({ client, name }: Table, activity: Activity): Promise<void> {
  await client.put({ TableName: name, Item: toActivityItem(activity) });
}

/** A page of what was done to an endpoint in the last 90 days, newest first. */
export function readActivity(
  table: Table,
  customerId: string,
  webhookId: string,
  page: PageRequest,
): Promise<Rows<Activity>> {
  const { pk } = activityKey({ customerId, webhookId, id: '' });
  return readSorted(table, { pk, prefix: '' }, page, fromActivityItem);
}

import type { Table } from '#shared/aws/clients.ts';
import type { ReadActivity } from '#shared/operations/customer/list-activity.ts';
import type { StoreActivity } from '#shared/operations/customer/note-activity.ts';
import { activityKey } from '../keys.ts';
import { readSorted } from '../results/result-pages.ts';
import { fromActivityItem, toActivityItem } from './activity-item.ts';

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

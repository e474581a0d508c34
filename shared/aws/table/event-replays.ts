import type { Table } from '#shared/aws/clients.ts';
import { type EventReplay, fromEventReplayItem } from './event-replay-item.ts';
import { eventReplayKey } from './keys.ts';
import { queryPages } from './query-pages.ts';
import { readAll } from './stored-row.ts';

/** The replays of an event to all endpoints, newest first; strongly consistent. */
export function readEventReplays(table: Table) {
  return async (customerId: string, eventId: string): Promise<readonly EventReplay[]> => {
    const replays: EventReplay[] = [];
    const pages = queryPages(table, {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': eventReplayKey(customerId, eventId, '').pk },
      ScanIndexForward: false,
      ConsistentRead: true,
    });
    for await (const page of pages) replays.push(...readAll(table, page, fromEventReplayItem));
    return replays;
  };
}

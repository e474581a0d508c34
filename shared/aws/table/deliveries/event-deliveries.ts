import type { Table } from '#shared/aws/clients.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import { idTime } from '#shared/domain/ids.ts';
import { mergeNewestFirst, takeMatching } from '#shared/domain/merge-parts.ts';
import type { Rows } from '#shared/operations/paging.ts';
import { getAllCheaply } from '../batches.ts';
import { deliveryKey, eventReplayKey } from '../keys.ts';
import { fromEventReplayItem } from '../replays/event-replay-item.ts';
import { readAll } from '../stored-row.ts';
import { fromDeliveryItem } from './delivery-item.ts';
import { readDeliveries } from './delivery-pages.ts';
import {
  type DeliveryPage,
  type DeliveryRange,
  deliveryRange,
  isEmptyRange,
  isInRange,
  rangeCondition,
} from './delivery-range.ts';

/** Replays that a request reads at most, divided over its endpoints: they take 30 read units. */
const requestReads = 60;
/** Number of deliveries of one moment that a query reads at once. */
const momentChunk = 25;

/** A delivery by its id; `stored` is `null` until the delivery was read. */
type Found = { readonly id: string; readonly stored: Delivery | null };

/**
 * Reads the deliveries of events to one endpoint, newest first: the first delivery of each event and its replays, without
 * the replays that releases up to 0.2.0 stored. With a filter, a page can be short or empty without being the last. The
 * first delivery of an event was created in the same millisecond as the event, so the time in the id of the event gives
 * the range of its key. Rows under the event name its replays.
 */
export async function readEventDeliveries(
  table: Table,
  endpoint: DeliveryHistory,
  eventIds: readonly string[],
  page: DeliveryPage,
): Promise<Rows<Delivery>> {
  const range = deliveryRange(page);
  if (isEmptyRange(range)) return { rows: [], next: null };
  const { limit, matches, share = 1 } = page;
  const most = Math.max(1, Math.floor(requestReads * share));
  const size = matches === null ? Math.min(limit, most) : most;
  const parts = await Promise.all(
    eventIds.flatMap((eventId) => [
      findOriginals(table, endpoint, eventId, range),
      findReplays(table, endpoint, eventId, range, size + 1),
    ]),
  );
  const chunk = mergeNewestFirst(parts, size);
  const rows = await readFound(table, endpoint, chunk.rows);
  return takeMatching({ rows, next: chunk.next }, limit, matches ?? undefined);
}

/** Whether an event was sent to an endpoint itself, not only as a replay; strongly consistent for an ordinary endpoint. */
export async function hasFirstDelivery(table: Table, endpoint: DeliveryHistory, eventId: string): Promise<boolean> {
  const { rows } = await findOriginals(table, endpoint, eventId, { first: null, end: null });
  return rows.length > 0;
}

async function findOriginals(
  table: Table,
  endpoint: DeliveryHistory,
  eventId: string,
  range: DeliveryRange,
): Promise<Rows<Found>> {
  const at = idTime(eventId);
  const originals: Found[] = [];
  let after: string | null = null;
  do {
    const moment: DeliveryPage = {
      after,
      limit: momentChunk,
      matches: null,
      createdAfter: at,
      createdBefore: at + 1,
    };
    const { rows, next } = await readDeliveries(table, endpoint, moment);
    for (const stored of rows) {
      const isOriginal = stored.event.id === eventId && stored.replayOf === null;
      if (isOriginal && isInRange(stored.id, range)) originals.push({ id: stored.id, stored });
    }
    after = next;
  } while (after !== null);
  return { rows: originals, next: null };
}

/** The newest replays of an event to one endpoint, in one query. */
async function findReplays(
  table: Table,
  { customerId, id: webhookId }: DeliveryHistory,
  eventId: string,
  range: DeliveryRange,
  count: number,
): Promise<Rows<Found>> {
  const { pk } = eventReplayKey({ customerId, webhookId, id: '' }, eventId);
  const { Items = [], LastEvaluatedKey } = await table.client.query({
    TableName: table.name,
    ...rangeCondition(pk, range),
    ScanIndexForward: false,
    ConsistentRead: true,
    Limit: count,
  });
  return {
    rows: readAll(table, Items, fromEventReplayItem).map((id) => ({ id, stored: null })),
    next: LastEvaluatedKey === undefined ? null : fromEventReplayItem(LastEvaluatedKey),
  };
}

/** The deliveries in order, without those that expired or cannot be read. */
async function readFound(
  table: Table,
  { customerId, id: webhookId }: DeliveryHistory,
  found: readonly Found[],
): Promise<readonly Delivery[]> {
  const unread = found.filter(({ stored }) => stored === null);
  const keys = unread.map(({ id }) => deliveryKey({ customerId, webhookId, id }));
  const items = (await getAllCheaply(table, keys)).filter((item) => item !== undefined);
  const read = new Map(readAll(table, items, fromDeliveryItem).map((delivery) => [delivery.id, delivery]));
  return found.flatMap(({ id, stored }) => stored ?? read.get(id) ?? []);
}

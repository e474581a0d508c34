import * as z from 'zod';
import type { Table } from '#shared/aws/clients.ts';
import type { ReplayableStatus } from '#shared/domain/bulk-replay.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { idTime } from '#shared/domain/ids.ts';
import type {
  CountReplayable,
  ReadReplayable,
  ReplayableCount,
  ReplayablePage,
  ReplayablePosition,
} from '#shared/operations/replays/replayable.ts';
import { type ReadRow, readAll, reads } from '../stored-row.ts';
import { fromDeliveryItem } from './delivery-item.ts';
import { type DeliverySpan, dividedSpans, spanAfter, spansOf } from './delivery-spans.ts';

/**
 * The reads of bulk replays, by key range: DynamoDB bills every delivery of the selected time, whatever the filter returns,
 * so nothing outside of it is read. All are eventually consistent, at half the price.
 */

/** Number of stored deliveries that one page of replayable deliveries reads, over all partitions: about 350 KB. */
const pageReads = 500;

/** Minimum of that number for each partition, so that many partitions do not make pages of a few deliveries. */
const leastReads = 50;

/** Concurrent queries of a count. Four of 1 MB use most of the read throughput of one partition key. */
const sideBySide = 4;

/** Bodies are compact JSON, in which a quotation mark within text is escaped: the characters are this member alone. */
const testEventMember = '"type":"webhook.test"';

/** The attributes that say whether a delivery was replayed. */
const markedRow = reads(
  'Delivery',
  z.object({ sk: z.string(), replayed_by: z.string().optional() }),
  ({ sk, replayed_by }) => ({ id: sk, replayedBy: replayed_by }),
);

/** A query of a span for selected deliveries. */
function selectionQuery(span: DeliverySpan, status: ReplayableStatus) {
  return {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    FilterExpression: '#status = :status AND NOT contains(#body, :test)',
    ExpressionAttributeNames: { '#status': 'status', '#body': 'body' },
    ExpressionAttributeValues: {
      ':pk': span.pk,
      ':first': span.first,
      ':last': span.last,
      ':status': status,
      ':test': testEventMember,
    },
  };
}

export function readReplayable(table: Table): ReadReplayable {
  return async (endpoint, selection, { after, limit, isOwn }) => {
    const reads = Math.max(limit, pageReads) / endpoint.deliveryPartitions;
    const spans = spansOf(endpoint, selection).flatMap((span) =>
      after === null ? span : (spanAfter(span, after) ?? []),
    );
    const chunks = await Promise.all(
      spans.map((span) =>
        readChunk(table, span, selection.status, { isOwn, Limit: Math.max(Math.ceil(reads), leastReads) }),
      ),
    );
    return mergeOldestFirst(chunks, limit);
  };
}

/** A selected delivery. `delivery`: `null` when it has a replay of somebody else. */
type Found = { readonly id: string; readonly delivery: Delivery | null };

/** One partition's oldest selected deliveries. `horizon`: the last id read, if newer deliveries follow. */
type Chunk = { readonly found: readonly Found[]; readonly horizon: string | null };

async function readChunk(
  table: Table,
  span: DeliverySpan,
  status: ReplayableStatus,
  { isOwn, Limit }: Pick<ReplayablePosition, 'isOwn'> & { readonly Limit: number },
): Promise<Chunk> {
  const { Items = [], LastEvaluatedKey } = await table.client.query({
    TableName: table.name,
    ...selectionQuery(span, status),
    Limit,
  });
  return { found: readAll(table, Items, foundRow(isOwn)), horizon: lastRead(LastEvaluatedKey) };
}

const foundRow =
  (isOwn: ReplayablePosition['isOwn']): ReadRow<Found> =>
  (row) => {
    const { id, replayedBy } = markedRow(row);
    // Of a delivery that is left out, only the id is needed.
    const isLeftOut = replayedBy !== undefined && !isOwn(id, replayedBy);
    return { id, delivery: isLeftOut ? null : fromDeliveryItem(row) };
  };

const idInKey = reads('Delivery', z.object({ sk: z.string() }), ({ sk }) => sk);

/** The id of the last delivery that a query read, when it ended early. */
function lastRead(key: unknown): string | null {
  return key === undefined ? null : idInKey(key);
}

/**
 * The oldest `limit` deliveries of all chunks, and what is left out among them. Rows newer than the horizon of a chunk
 * wait for the next page, because the partition of that chunk may hold unread rows in between.
 */
function mergeOldestFirst(chunks: readonly Chunk[], limit: number): ReplayablePage {
  const horizon = chunks
    .flatMap((chunk) => chunk.horizon ?? [])
    .sort()
    .at(0);
  const known = chunks
    .flatMap(({ found }) => found)
    .filter(({ id }) => horizon === undefined || id <= horizon)
    .sort((left, right) => (left.id < right.id ? -1 : 1));
  const deliveries = known.flatMap(({ delivery }) => delivery ?? []).slice(0, limit);
  const last = deliveries.length < limit ? undefined : deliveries.at(-1)?.id;
  const taken = last === undefined ? known : known.filter(({ id }) => id <= last);
  return {
    deliveries,
    replayedEarlier: taken.flatMap(({ id, delivery }) => (delivery === null ? id : [])),
    next: taken.length < known.length ? (last ?? null) : (horizon ?? null),
  };
}

export function countReplayable(table: Table): CountReplayable {
  return async (endpoint, selection, { roundReads, mayContinue }) => {
    const tally = new Tally();
    let open = spansOf(endpoint, selection);
    while (open.length > 0) {
      if (!(await mayContinue(tally))) return tally.result(false);
      const round = open.slice(0, sideBySide);
      const limit = roundReads === undefined ? {} : { Limit: Math.ceil(roundReads / round.length) };
      const rests = await Promise.all(
        round.map((span) => countPage(table, { span, ...limit }, selection.status, tally)),
      );
      open = dividedSpans([...open.slice(sideBySide), ...rests.flatMap((rest) => rest ?? [])], sideBySide);
    }
    return tally.result(true);
  };
}

/** Counts the first page of a span. @returns the rest of the span; `null` when nothing follows */
async function countPage(
  table: Table,
  { span, ...limit }: { readonly span: DeliverySpan; readonly Limit?: number },
  status: ReplayableStatus,
  tally: Tally,
): Promise<DeliverySpan | null> {
  const {
    Items = [],
    LastEvaluatedKey,
    ScannedCount = limit.Limit ?? Items.length,
  } = await table.client.query({
    TableName: table.name,
    ...selectionQuery(span, status),
    ...limit,
    ProjectionExpression: 'sk, replayed_by',
  });
  tally.read += ScannedCount;
  const rows = Items.map((row) => ({ pk: span.pk, ...row }));
  for (const row of readAll(table, rows, markedRow)) tally.count(row);
  const last = lastRead(LastEvaluatedKey);
  return last === null ? null : spanAfter(span, last);
}

class Tally {
  read = 0;
  replayable = 0;
  replayedEarlier = 0;
  #oldest: number | null = null;
  #newest: number | null = null;

  count({ id, replayedBy }: { readonly id: string; readonly replayedBy: string | undefined }): void {
    if (replayedBy !== undefined) {
      this.replayedEarlier += 1;
      return;
    }
    const createdAt = idTime(id);
    this.replayable += 1;
    this.#oldest = Math.min(this.#oldest ?? createdAt, createdAt);
    this.#newest = Math.max(this.#newest ?? createdAt, createdAt);
  }

  result(complete: boolean): ReplayableCount {
    const { replayable, replayedEarlier } = this;
    return { replayable, replayedEarlier, oldest: this.#oldest, newest: this.#newest, complete };
  }
}

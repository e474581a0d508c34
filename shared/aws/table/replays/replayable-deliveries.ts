import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import { type BulkReplay, isReplayBy, type ReplayableStatus } from '#shared/domain/bulk-replay.ts';
import type { ReplayableCount } from '#shared/domain/bulk-replay-plan.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { idTime } from '#shared/domain/ids.ts';
import { mergeParts, takeMatching } from '#shared/domain/merge-parts.ts';
import type { Rows } from '#shared/operations/paging.ts';
import type { CountReplayable, ReadReplayable, ReplayablePage } from '#shared/operations/replays/ports.ts';
import { fromDeliveryItem } from '../deliveries/delivery-item.ts';
import { type DeliverySpan, dividedSpans, spanAfter, spansOf } from '../deliveries/delivery-spans.ts';
import { type ReadRow, readAll, reads } from '../stored-row.ts';

/**
 * The reads of bulk replays, by key range: DynamoDB bills every delivery of the selected time, whatever the filter returns,
 * so nothing outside of it is read. All are eventually consistent, at half the price.
 */

/** Number of stored deliveries that one page of replayable deliveries reads, over all partitions: about 350 KB. */
const pageReads = 500;

/** Minimum of that number for each partition, so that many partitions do not make pages of a few deliveries. */
const minReads = 50;

/** Concurrent queries of a count. Four of 1 MB use most of the read throughput of one partition key. */
const concurrency = 4;

/** Bodies are compact JSON, in which a quotation mark within text is escaped: the characters are this member alone. */
const testEventMember = '"type":"webhook.test"';

/** The attributes that say whether a delivery was replayed. */
const markedRow = reads(
  'Delivery',
  z.object({ sk: z.string(), replayed_by: z.optional(z.string()) }),
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
  return async (endpoint, job, { after, limit }) => {
    const reads = Math.max(limit, pageReads) / endpoint.deliveryPartitions;
    const spans = spansOf(endpoint, job.selection).flatMap((span) =>
      after === null ? span : (spanAfter(span, after) ?? []),
    );
    const size = Math.max(Math.ceil(reads), minReads);
    const parts = await Promise.all(spans.map((span) => readPart(table, span, job, size)));
    return oldestOf(parts, limit);
  };
}

/** A selected delivery. `delivery`: `null` when another caller has replayed it. */
type Found = { readonly id: string; readonly delivery: Delivery | null };

/** One partition's oldest selected deliveries; `next` is the last id read, if newer deliveries follow. */
async function readPart(
  table: Table,
  span: DeliverySpan,
  { id, selection }: Pick<BulkReplay, 'id' | 'selection'>,
  Limit: number,
): Promise<Rows<Found>> {
  const { Items = [], LastEvaluatedKey } = await table.client.query({
    TableName: table.name,
    ...selectionQuery(span, selection.status),
    Limit,
  });
  return { rows: readAll(table, Items, foundRow(id)), next: lastRead(LastEvaluatedKey) };
}

const foundRow =
  (jobId: string): ReadRow<Found> =>
  (row) => {
    const { id, replayedBy } = markedRow(row);
    // Of a delivery that is left out, only the id is needed.
    const isLeftOut = replayedBy !== undefined && !isReplayBy(jobId, id, replayedBy);
    return { id, delivery: isLeftOut ? null : fromDeliveryItem(row) };
  };

const idInKey = reads('Delivery', z.object({ sk: z.string() }), ({ sk }) => sk);

/** The id of the last delivery that a query read, when it ended early. */
function lastRead(key: unknown): string | null {
  return key === undefined ? null : idInKey(key);
}

/** The oldest `limit` deliveries of all partitions, and what is left out among them. */
function oldestOf(parts: readonly Rows<Found>[], limit: number): ReplayablePage {
  const known = mergeParts(parts, 'oldest first');
  const { rows, next } = takeMatching(known, limit, ({ delivery }) => delivery !== null);
  const leftOut = known.rows.filter(({ id, delivery }) => delivery === null && (next === null || id <= next));
  return {
    deliveries: rows.flatMap(({ delivery }) => delivery ?? []),
    replayedEarlier: leftOut.map(({ id }) => id),
    next,
  };
}

export function countReplayable(table: Table): CountReplayable {
  return async (endpoint, selection, { roundReads, mayContinue }) => {
    const tally = new Tally();
    let open = spansOf(endpoint, selection);
    while (open.length > 0) {
      if (!(await mayContinue(tally))) return tally.result(false);
      const round = open.slice(0, concurrency);
      const limit = roundReads === undefined ? {} : { Limit: Math.ceil(roundReads / round.length) };
      const rests = await Promise.all(
        round.map((span) => countPage(table, { span, ...limit }, selection.status, tally)),
      );
      open = dividedSpans([...open.slice(concurrency), ...rests.flatMap((rest) => rest ?? [])], concurrency);
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

import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import {
  type BulkReplay,
  type Candidate,
  type EventChooser,
  isSelected,
  type ReplaySelection,
  type Selectable,
} from '#shared/domain/bulk-replay.ts';
import type { ReplayableCount } from '#shared/domain/bulk-replay-plan.ts';
import { type Delivery, deliveryStatuses } from '#shared/domain/delivery.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import { idTime } from '#shared/domain/ids.ts';
import { mergeParts } from '#shared/domain/merge-parts.ts';
import type { PageRequest, Rows } from '#shared/operations/paging.ts';
import { getAllCheaply } from '../batches.ts';
import { fromDeliveryItem, lastRead, storedLog } from '../deliveries/delivery-item.ts';
import { type DeliverySpan, dividedSpans, spanAfter, spansOf } from '../deliveries/delivery-spans.ts';
import { deliveryKey } from '../keys.ts';
import { readAll, reads, storedJson } from '../stored-row.ts';

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

/** The attributes that say which event a delivery sends, how it went, and whether it was replayed. */
const candidateRow = reads(
  'Delivery',
  z.object({
    sk: z.string(),
    status: z.enum(deliveryStatuses),
    body: z.pipe(storedJson, z.object({ id: z.string(), type: z.string() })),
    replay_of: z.optional(z.nullable(z.string())),
    replayed_by: z.optional(z.string()),
    log: storedLog,
  }),
  ({ sk, body, replay_of, replayed_by, status, log }): Candidate & Selectable => ({
    id: sk,
    status,
    log,
    event: body,
    eventId: body.id,
    replayOf: replay_of ?? null,
    replayedBy: replayed_by ?? null,
  }),
);

/** A query of a span for deliveries with the selected status. What else decides is not in one place of a row. */
function selectionQuery(span: DeliverySpan, { status }: ReplaySelection) {
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

export type ReplayablePage = {
  /** Selected deliveries in the order of their ids, whatever replays their events have. */
  readonly deliveries: readonly Delivery[];
  /**
   * The id after which the rest begins; `null` when there is none. There can be a rest after few deliveries, or none,
   * because each call reads a bounded number of deliveries.
   */
  readonly next: string | null;
};

/**
 * Reads the deliveries that a job selects, in the order of their ids. The newest writes may be missing.
 *
 * @param page `after`: `null` for the oldest; `limit`: the deliveries that the caller needs
 */
export async function readReplayable(
  table: Table,
  endpoint: DeliveryHistory,
  { selection }: Pick<BulkReplay, 'selection'>,
  { after, limit }: PageRequest,
): Promise<ReplayablePage> {
  if (selection.deliveryIds !== undefined) {
    return { deliveries: await readNamed(table, endpoint, selection, after), next: null };
  }
  const reads = Math.max(limit, pageReads) / endpoint.deliveryPartitions;
  const spans = spansOf(endpoint, selection).flatMap((span) =>
    after === null ? span : (spanAfter(span, after) ?? []),
  );
  const size = Math.max(Math.ceil(reads), minReads);
  const parts = await Promise.all(spans.map((span) => readPart(table, span, selection, size)));
  const { rows, next } = mergeParts(parts, 'oldest first');
  return { deliveries: rows, next };
}

/** One partition's oldest selected deliveries; `next` is the last id read, if newer deliveries follow. */
async function readPart(
  table: Table,
  span: DeliverySpan,
  selection: ReplaySelection,
  Limit: number,
): Promise<Rows<Delivery>> {
  const { Items = [], LastEvaluatedKey } = await table.client.query({
    TableName: table.name,
    ...selectionQuery(span, selection),
    Limit,
  });
  const rows = readAll(table, Items, fromDeliveryItem).filter((row) => isSelected(row, selection));
  return { rows, next: lastRead(LastEvaluatedKey) };
}

/** The selected deliveries of those that a selection names, oldest first. */
async function readNamed(
  table: Table,
  { customerId, id: webhookId }: DeliveryHistory,
  selection: ReplaySelection,
  after: string | null = null,
): Promise<readonly Delivery[]> {
  const ids = (selection.deliveryIds ?? []).filter((id) => after === null || id > after).toSorted();
  const keys = ids.map((id) => deliveryKey({ customerId, webhookId, id }));
  const rows = (await getAllCheaply(table, keys)).filter((row) => row !== undefined);
  return readAll(table, rows, fromDeliveryItem).filter((row) => isSelected(row, selection));
}

/** Deliveries that a query reads for the price of one that is read by its key. */
const readsOfOne = 4;

/** What a count has done so far. */
export type CountProgress = Pick<ReplayableCount, 'replayable' | 'replayedEarlier'> & {
  /** Deliveries that it read, selected or not, and what it read for its choice: they decide what it costs. */
  readonly read: number;
};

/** How far a count reads. */
export type CountLimits = {
  /** Maximum number of deliveries that one round reads; left out: as many as the table returns at once. */
  readonly roundReads?: number;
  readonly events: EventChooser;
  /** Called before each round of reads; once it returns `false`, the count ends incomplete. */
  readonly mayContinue: (progress: CountProgress) => boolean | Promise<boolean>;
};

/** Counts selected deliveries. The newest writes may be missing. */
export async function countReplayable(
  table: Table,
  endpoint: DeliveryHistory,
  selection: ReplaySelection,
  { roundReads, mayContinue, events }: CountLimits,
): Promise<ReplayableCount> {
  const tally = tallyOf(events);
  const { deliveryIds } = selection;
  if (deliveryIds !== undefined) {
    const named = await readNamed(table, endpoint, selection);
    const candidates = named.map((delivery) => ({ ...delivery, eventId: delivery.event.id }));
    await tally.count([{ candidates, read: deliveryIds.length * readsOfOne, rest: null }]);
    return tally.result(true);
  }
  let open = spansOf(endpoint, selection);
  while (open.length > 0) {
    if (!(await mayContinue(tally.progress()))) return tally.result(false);
    const round = open.slice(0, concurrency);
    const limit = roundReads === undefined ? {} : { Limit: Math.ceil(roundReads / round.length) };
    const pages = await Promise.all(round.map((span) => countPage(table, { span, ...limit }, selection)));
    await tally.count(pages);
    const rests = pages.flatMap(({ rest }) => rest ?? []);
    open = dividedSpans([...open.slice(concurrency), ...rests], concurrency);
  }
  return tally.result(true);
}

type CountedPage = {
  readonly candidates: readonly Candidate[];
  readonly read: number;
  /** The rest of the span; `null` when nothing follows. */
  readonly rest: DeliverySpan | null;
};

/** Reads the first page of a span. */
async function countPage(
  table: Table,
  { span, ...limit }: { readonly span: DeliverySpan; readonly Limit?: number },
  selection: ReplaySelection,
): Promise<CountedPage> {
  const query = selectionQuery(span, selection);
  const {
    Items = [],
    LastEvaluatedKey,
    ScannedCount = limit.Limit ?? Items.length,
  } = await table.client.query({
    TableName: table.name,
    ...query,
    ...limit,
    ExpressionAttributeNames: { ...query.ExpressionAttributeNames, '#log': 'log' },
    ProjectionExpression: 'sk, #status, #body, #log, replay_of, replayed_by',
  });
  const rows = Items.map((row) => ({ pk: span.pk, ...row }));
  const last = lastRead(LastEvaluatedKey);
  return {
    candidates: readAll(table, rows, candidateRow).filter((row) => isSelected(row, selection)),
    read: ScannedCount,
    rest: last === null ? null : spanAfter(span, last),
  };
}

function tallyOf(events: EventChooser) {
  let [read, replayable, replayedEarlier] = [0, 0, 0];
  let oldest: number | null = null;
  let newest: number | null = null;
  return {
    progress: () => ({ read: read + events.reads, replayable, replayedEarlier }),
    count: async (pages: readonly CountedPage[]): Promise<void> => {
      const candidates = pages.flatMap((page) => page.candidates);
      read += pages.reduce((sum, page) => sum + page.read, 0);
      const chosen = await events.choose(candidates);
      for (const createdAt of [...chosen].map(idTime)) {
        oldest = Math.min(oldest ?? createdAt, createdAt);
        newest = Math.max(newest ?? createdAt, createdAt);
      }
      replayable += chosen.size;
      replayedEarlier += candidates.length - chosen.size;
    },
    result: (complete: boolean) => ({ replayable, replayedEarlier, oldest, newest, complete }),
  };
}

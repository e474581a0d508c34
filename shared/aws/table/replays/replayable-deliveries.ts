import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import type { BulkReplay, ReplayableStatus } from '#shared/domain/bulk-replay.ts';
import type { ReplayableCount } from '#shared/domain/bulk-replay-plan.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { idTime } from '#shared/domain/ids.ts';
import { mergeParts } from '#shared/domain/merge-parts.ts';
import type { Rows } from '#shared/operations/paging.ts';
import type {
  Candidate,
  CountReplayable,
  EventChooser,
  ReadReplayable,
} from '#shared/operations/replays/ports.ts';
import { fromDeliveryItem } from '../deliveries/delivery-item.ts';
import { type DeliverySpan, dividedSpans, spanAfter, spansOf } from '../deliveries/delivery-spans.ts';
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

/** The attributes that say which event a delivery sends, and whether it was replayed. */
const candidateRow = reads(
  'Delivery',
  z.object({
    sk: z.string(),
    body: z.pipe(storedJson, z.object({ id: z.string() })),
    replay_of: z.optional(z.nullable(z.string())),
    replayed_by: z.optional(z.string()),
  }),
  ({ sk, body, replay_of: replayOf = null, replayed_by: replayedBy = null }): Candidate => {
    return { id: sk, eventId: body.id, replayOf, replayedBy };
  },
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
    const { rows, next } = mergeParts(parts, 'oldest first');
    return { deliveries: rows, next };
  };
}

/** One partition's oldest selected deliveries; `next` is the last id read, if newer deliveries follow. */
async function readPart(
  table: Table,
  span: DeliverySpan,
  { selection }: Pick<BulkReplay, 'selection'>,
  Limit: number,
): Promise<Rows<Delivery>> {
  const { Items = [], LastEvaluatedKey } = await table.client.query({
    TableName: table.name,
    ...selectionQuery(span, selection.status),
    Limit,
  });
  return { rows: readAll(table, Items, fromDeliveryItem), next: lastRead(LastEvaluatedKey) };
}

const idInKey = reads('Delivery', z.object({ sk: z.string() }), ({ sk }) => sk);

/** The id of the last delivery that a query read, when it ended early. */
function lastRead(key: unknown): string | null {
  return key === undefined ? null : idInKey(key);
}

export function countReplayable(table: Table): CountReplayable {
  return async (endpoint, selection, { roundReads, mayContinue, events }) => {
    const tally = tallyOf(events);
    let open = spansOf(endpoint, selection);
    while (open.length > 0) {
      if (!(await mayContinue(tally.progress()))) return tally.result(false);
      const round = open.slice(0, concurrency);
      const limit = roundReads === undefined ? {} : { Limit: Math.ceil(roundReads / round.length) };
      const pages = await Promise.all(
        round.map((span) => countPage(table, { span, ...limit }, selection.status)),
      );
      await tally.count(pages);
      const rests = pages.flatMap(({ rest }) => rest ?? []);
      open = dividedSpans([...open.slice(concurrency), ...rests], concurrency);
    }
    return tally.result(true);
  };
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
  status: ReplayableStatus,
): Promise<CountedPage> {
  const {
    Items = [],
    LastEvaluatedKey,
    ScannedCount = limit.Limit ?? Items.length,
  } = await table.client.query({
    TableName: table.name,
    ...selectionQuery(span, status),
    ...limit,
    ProjectionExpression: 'sk, #body, replay_of, replayed_by',
  });
  const rows = Items.map((row) => ({ pk: span.pk, ...row }));
  const last = lastRead(LastEvaluatedKey);
  return {
    candidates: readAll(table, rows, candidateRow),
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
    result: (complete: boolean): ReplayableCount => {
      return { replayable, replayedEarlier, oldest, newest, complete };
    },
  };
}

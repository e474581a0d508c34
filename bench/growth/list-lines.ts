import type { Table } from '#shared/aws/clients.ts';
import { deliveryListPorts } from '#shared/aws/delivery-list-ports.ts';
import { readCursorSecret } from '#shared/aws/table/cursor-secret.ts';
import { readDeliveryHistory } from '#shared/aws/table/endpoints.ts';
import { readRun, readRuns } from '#shared/aws/table/runs.ts';
import { readChangeReports, readTracker } from '#shared/aws/table/trackers.ts';
import { isCreatorKnown, readCreatorVideos, readRunItems } from '#shared/aws/table/videos.ts';
import { listChangeReports } from '#shared/operations/customer/list-change-reports.ts';
import { listCreatorVideos } from '#shared/operations/customer/list-creator-videos.ts';
import { listDeliveries } from '#shared/operations/customer/list-deliveries.ts';
import { listRunItems } from '#shared/operations/customer/list-run-items.ts';
import { listRuns } from '#shared/operations/customer/list-runs.ts';
import type { CursorScope, Cursors, ListPage } from '#shared/operations/customer/paging.ts';
import { createCursors } from '#shared/runtime/cursors.ts';
import { backoff, randomBytes } from '#shared/runtime/system.ts';
import type { Request } from './read-lines.ts';
import { deliveryIdAt, measured, reportAt, runAt, videoAt } from './records.ts';
import { rowsOfOne, type TableSize } from './sizes.ts';

const { customerId, webhookId, runId, trackerId, creator } = measured;

/** The default size of a page. */
export const pageSize = 25;

/** A list as its operation reads it, with what is needed to make the cursor of any page directly. */
type List = {
  readonly length: number;
  readonly scope: CursorScope;
  /** Position of the row with this index; the newest row has the highest index. */
  readonly positionOf: (index: number) => string;
  readonly read: (cursor: string | undefined) => Promise<ListPage<unknown>>;
};

/** The requests for pages of every list, by the name of the list and the page. */
export function listPages(table: Table, size: TableSize): Readonly<Record<string, Request>> {
  const cursors = createCursors({ readSecret: readCursorSecret(table, randomBytes), randomBytes });
  const requests = Object.entries(lists(table, cursors, size)).flatMap(([name, list]) =>
    pagesOf(list.length, size).map(
      ([page, number]) => [`${name}, ${page}`, readPage(list, cursors, number)] as const,
    ),
  );
  return Object.fromEntries(requests);
}

/** Pages by their number, from 1. The middle of the smallest table stands in for page 10,000, which it does not have. */
function pagesOf(length: number, { stored }: TableSize): readonly (readonly [string, number])[] {
  const last = length / pageSize;
  const middle = Math.ceil(last / 2);
  const all = [
    ['page 1', 1],
    ['middle', middle],
    ['last page', last],
  ] as const;
  return length === stored ? [...all, ['page 10,000', last > 10_000 ? 10_000 : middle]] : all;
}

function readPage({ length, scope, positionOf, read }: List, cursors: Cursors, number: number): Request {
  // Index of the last row of the page before, counted from the oldest row.
  const before = length - (number - 1) * pageSize;
  const cursor = number === 1 ? undefined : cursors.seal(scope, positionOf(before));
  return async () => {
    const { rows } = await read(await cursor);
    if (rows.length !== pageSize) throw new Error(`Cannot measure: a page has ${rows.length} rows`);
  };
}

function lists(table: Table, cursors: Cursors, size: TableSize): Readonly<Record<string, List>> {
  return {
    Deliveries: deliveries(table, cursors, size),
    Runs: {
      length: size.stored,
      scope: ['runs', customerId],
      positionOf: (index) => `${runAt(index).created_at}#${runAt(index).id}`,
      read: (cursor) =>
        listRuns({ cursors, readRuns: readRuns(table, backoff) })(customerId, { limit: pageSize, cursor }),
    },
    ...listsOfOne(table, cursors, rowsOfOne(size)),
  };
}

function deliveries(table: Table, cursors: Cursors, { stored }: TableSize): List {
  const list = listDeliveries({
    cursors,
    readEndpoint: readDeliveryHistory(table),
    ...deliveryListPorts(table, backoff),
  });
  const query = { limit: pageSize, status: undefined, event_type: undefined };
  return {
    length: stored,
    scope: ['deliveries', customerId, webhookId, '', ''],
    positionOf: deliveryIdAt,
    read: (cursor) => list(customerId, webhookId, { ...query, cursor }),
  };
}

function listsOfOne(table: Table, cursors: Cursors, length: number): Readonly<Record<string, List>> {
  const items = listRunItems({ cursors, readRun: readRun(table), readRunItems: readRunItems(table) });
  const reports = listChangeReports({
    cursors,
    readTracker: readTracker(table),
    readChangeReports: readChangeReports(table),
  });
  const videos = listCreatorVideos({
    cursors,
    supportedPlatforms: new Set([creator.platform]),
    readCreatorVideos: readCreatorVideos(table, backoff),
    isCreatorKnown: isCreatorKnown(table),
  });
  const videoPosition = (index: number) => {
    const { posted_at, id, platform } = videoAt(index);
    return `${posted_at}#${id}#${platform}`;
  };
  const limit = pageSize;
  return {
    'Items of a Run': {
      length,
      scope: ['run-items', customerId, runId, 'videos'],
      positionOf: videoPosition,
      read: (cursor) => items(customerId, runId, { limit, cursor, type: 'videos' }),
    },
    'Change Reports': {
      length,
      scope: ['changes', customerId, trackerId],
      positionOf: (index) => `${reportAt(index).created_at}#${reportAt(index).id}`,
      read: (cursor) => reports(customerId, trackerId, { limit, cursor }),
    },
    'Videos of a creator': {
      length,
      scope: ['creator-videos', customerId, creator.platform, creator.handle],
      positionOf: videoPosition,
      read: (cursor) => videos(customerId, creator, { limit, cursor }),
    },
  };
}

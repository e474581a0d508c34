import { randomBytes } from 'node:crypto';
import type { Table } from '#shared/aws/clients.ts';
import { readCursorSecret } from '#shared/aws/table/credentials/cursor-secret.ts';
import type { BundledFolder } from '#shared/contract/functions.ts';
import type { CursorScope } from '#shared/operations/paging.ts';
import { createCursors } from '#shared/runtime/cursors.ts';
import { exampleMessage } from '../../operator/emit/example-messages.ts';
import { apiEvent, batchOf, waitingAttempt } from '../events.ts';
import {
  creator,
  deliveryIdAt,
  measuredRun,
  type Owner,
  reportAt,
  rowsOfOne,
  runAt,
  runIdAt,
  type TableSize,
  tracker,
  videoAt,
} from './records.ts';

/** A filled table, with what requests about it need. */
export type Place = Owner & {
  readonly size: TableSize;
  readonly table: Table;
  /** Another key each time, so that none reaches its request limit. */
  readonly nextKey: () => string;
};

/** A request that every table is asked. */
export type Request = {
  readonly name: string;
  readonly folder: BundledFolder;
  readonly event: (place: Place) => Promise<object>;
};

/** The default size of a page. */
const pageSize = 25;

/** A list, with what is needed to make the cursor of any page directly. */
type List = {
  readonly name: string;
  readonly folder: BundledFolder;
  readonly path: (place: Place) => Readonly<Record<string, string>>;
  readonly length: (size: TableSize) => number;
  readonly scope: (place: Place) => CursorScope;
  /** Position of the row with this index; the newest row has the highest index. */
  readonly position: (index: number) => string;
};

function videoPosition(index: number): string {
  const { posted_at, id, platform } = videoAt(index);
  return `${posted_at}#${id}#${platform}`;
}

const lists: readonly List[] = [
  {
    name: 'Deliveries',
    folder: 'api/list-deliveries',
    path: ({ webhookId }) => ({ id: webhookId }),
    length: ({ stored }) => stored,
    scope: ({ customerId, webhookId }) => ['deliveries', customerId, webhookId, '', ''],
    position: deliveryIdAt,
  },
  {
    name: 'Runs',
    folder: 'api/list-runs',
    path: () => ({}),
    length: ({ stored }) => stored,
    scope: ({ customerId }) => ['runs', customerId],
    position: (index) => `${runAt(index).created_at}#${runIdAt(index)}`,
  },
  {
    name: 'Items of a Run',
    folder: 'api/list-run-items',
    path: () => ({ id: measuredRun }),
    length: rowsOfOne,
    scope: ({ customerId }) => ['run-items', customerId, measuredRun, 'videos'],
    position: videoPosition,
  },
  {
    name: 'Change Reports',
    folder: 'api/list-change-reports',
    path: () => ({ id: tracker.id }),
    length: rowsOfOne,
    scope: ({ customerId }) => ['changes', customerId, tracker.id],
    position: (index) => `${reportAt(index).created_at}#${reportAt(index).id}`,
  },
  {
    name: 'Videos of a creator',
    folder: 'api/list-creator-videos',
    path: () => ({ ...creator }),
    length: rowsOfOne,
    scope: ({ customerId }) => ['creator-videos', customerId, creator.platform, creator.handle],
    position: videoPosition,
  },
];

/** Indexes of the row before the first one of a page. */
const pages: Readonly<Record<string, (length: number) => number | null>> = {
  'page 1': () => null,
  'middle page': (length) => length - Math.floor(length / pageSize / 2) * pageSize,
  'last page': () => pageSize,
};

function pagesOf({ name, folder, path, length, scope, position }: List): readonly Request[] {
  return Object.entries(pages).map(([page, rowBefore]) => ({
    name: `${name}, ${page}`,
    folder,
    event: async (place) => {
      const before = rowBefore(length(place.size));
      const readSecret = readCursorSecret(place.table, randomBytes);
      const { seal } = createCursors({ readSecret, randomBytes });
      const query = before === null ? {} : { cursor: await seal(scope(place), position(before)) };
      return apiEvent({ apiKey: place.nextKey(), path: path(place), query });
    },
  }));
}

function read(name: string, folder: BundledFolder, path: (place: Place) => Record<string, string>): Request {
  return { name, folder, event: async (place) => apiEvent({ apiKey: place.nextKey(), path: path(place) }) };
}

const middle = ({ size }: Place): number => size.stored / 2;

/** A delivery, and every read. */
export const requests: readonly Request[] = [
  {
    name: 'Take in an event',
    folder: 'queue/intake',
    event: async ({ customerId }) =>
      batchOf([exampleMessage('run.settled', { customer: customerId }, Date.now(), randomBytes)]),
  },
  {
    name: 'Deliver an event',
    folder: 'queue/deliver',
    event: async ({ table, customerId, webhookId }) =>
      batchOf([await waitingAttempt(table, customerId, webhookId)]),
  },
  read('List endpoints', 'api/list-webhooks', () => ({})),
  read('Get an endpoint', 'api/get-webhook', ({ webhookId }) => ({ id: webhookId })),
  read('Get a delivery', 'api/get-delivery', (place) => ({
    id: place.webhookId,
    deliveryId: deliveryIdAt(middle(place)),
  })),
  read('Get a Run', 'api/get-run', (place) => ({ id: runIdAt(middle(place)) })),
  read('Get a Tracker', 'api/get-tracker', () => ({ id: tracker.id })),
  read('Deliveries of all endpoints, page 1', 'api/list-all-deliveries', () => ({})),
  ...lists.flatMap(pagesOf),
];

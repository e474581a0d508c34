import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { VideoItem } from '../../contract/intake-message.ts';
import type { Table } from '../clients.ts';
import { creatorVideoKey, type ItemKey, runItemKey } from './keys.ts';

const batchSize = 25;

/** Newest first when read backwards; one row for each video, however often it is stored. */
const videoSort = (video: VideoItem): string => `${video.posted_at}#${video.platform}#${video.id}`;

/** Adds items to a Run, also before the Run itself is stored. */
export function storeRunItems(table: Table) {
  return async (customerId: string, runId: string, items: readonly VideoItem[]): Promise<void> => {
    await putAll(table, items, (video) => runItemKey(customerId, runId, videoSort(video)));
  };
}

/** Adds to a creator's stored videos, or renews them. The creator is known from then on, even with none. */
export function storeCreatorVideos(table: Table) {
  return async (
    customerId: string,
    creator: { readonly platform: string; readonly handle: string },
    videos: readonly VideoItem[],
  ): Promise<void> => {
    await putAll(table, videos, (video) => creatorVideoKey(customerId, creator, videoSort(video)));
  };
}

async function putAll(
  table: Table,
  videos: readonly VideoItem[],
  keyOf: (video: VideoItem) => ItemKey,
): Promise<void> {
  const rows = new Map(
    videos.map((video) => [keyOf(video).sk, { ...keyOf(video), video: JSON.stringify(video) }]),
  );
  const items = [...rows.values()];
  for (let start = 0; start < items.length; start += batchSize) {
    await putBatch(table, items.slice(start, start + batchSize));
  }
}

/** What a busy table left unprocessed is an error: the message comes again, and writing twice changes nothing. */
async function putBatch(table: Table, items: readonly Record<string, unknown>[]): Promise<void> {
  const { UnprocessedItems = {} } = await table.client.send(
    new BatchWriteCommand({
      RequestItems: { [table.name]: items.map((Item) => ({ PutRequest: { Item } })) },
    }),
  );
  const left = UnprocessedItems[table.name]?.length ?? 0;
  if (left > 0) throw new Error(`Cannot store all videos: the table left ${left} unprocessed`);
}

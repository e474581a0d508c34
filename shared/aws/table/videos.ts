import { PutCommand, type PutCommandInput, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { VideoItem } from '../../contract/intake-message.ts';
import { tableSchema } from '../../contract/table-schema.ts';
import { videoRecord } from '../../contract/video.ts';
import type { Creator } from '../../domain/creator.ts';
import { digest } from '../../domain/derived-id.ts';
import type { IsCreatorKnown, ReadCreatorVideos } from '../../operations/list-creator-videos.ts';
import type { ReadRunItems } from '../../operations/list-run-items.ts';
import type { Table } from '../clients.ts';
import type { Backoff } from './backoff.ts';
import { putAll, writeBatchSize } from './batches.ts';
import { isRefused, orRefused } from './conditional-write.ts';
import { creatorKey, creatorPartition, creatorVideoKey, runItemKey, runItemVersionKey } from './keys.ts';
import { readListed, readSorted, type StoredRow } from './result-pages.ts';
import { storedJson } from './stored-json.ts';

const { listed } = tableSchema.indexes;

const videoRow = z.object({ video: storedJson.pipe(videoRecord) });
const fromVideoRow = (row: StoredRow) => videoRow.parse(row).video;

/** What makes two videos the same one. */
const videoName = ({ id, platform }: VideoItem): string => `${id}#${platform}`;

/** Newest first when read backwards. */
const videoSort = (video: VideoItem): string => `${video.posted_at}#${videoName(video)}`;

/**
 * Adds items to a Run, also before the Run itself is stored. The first version of a video that arrives is the Run's
 * item for good: reading a Run again shows the same.
 */
export function storeRunItems(table: Table, backoff: Backoff) {
  return async (customerId: string, runId: string, items: readonly VideoItem[]): Promise<void> => {
    // Of a video that is given twice the last one would count.
    const chosen = await filterInBatches(unique(items.toReversed()), (video) =>
      chooseVersion(table, customerId, runId, video),
    );
    const rows = chosen.map((video) => ({
      ...runItemKey(customerId, runId, videoSort(video)),
      video: JSON.stringify(video),
    }));
    await putAll(table, rows, backoff);
  };
}

/** @returns whether this version of the video is the Run's item; again `true` when the same one is stored again */
async function chooseVersion(
  table: Table,
  customerId: string,
  runId: string,
  video: VideoItem,
): Promise<boolean> {
  const version = Buffer.from(digest(JSON.stringify(video))).toString('base64');
  const result = await orRefused(
    table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: { ...runItemVersionKey(customerId, runId, videoName(video)), version },
        ConditionExpression: 'attribute_not_exists(pk) OR version = :version',
        ExpressionAttributeValues: { ':version': version },
      }),
    ),
  );
  return !isRefused(result);
}

/**
 * Adds to a creator's stored videos, or renews them. A video has one row, named by its id, that stands in the list
 * by its time: with another time it moves there. A snapshot that is older than the stored one changes nothing.
 */
export function storeCreatorVideos(table: Table) {
  return async (customerId: string, creator: Creator, videos: readonly VideoItem[]): Promise<void> => {
    if (videos.length === 0) await storeCreator(table, customerId, creator);
    await filterInBatches(unique(videos), async (video) => {
      const input = putVideoInput(table.name, customerId, creator, video);
      return !isRefused(await orRefused(table.client.send(new PutCommand(input))));
    });
  };
}

/** A creator without videos is known by this item; videos make their creator known by themselves. */
async function storeCreator(table: Table, customerId: string, creator: Creator): Promise<void> {
  const { platform, handle } = creator;
  const Item = { ...creatorKey(customerId, creator), platform, handle };
  await table.client.send(new PutCommand({ TableName: table.name, Item }));
}

export function putVideoInput(
  tableName: string,
  customerId: string,
  creator: Creator,
  video: VideoItem,
): PutCommandInput {
  return {
    TableName: tableName,
    Item: {
      ...creatorVideoKey(customerId, creator, videoName(video)),
      [listed.partitionKey]: creatorPartition(customerId, creator),
      [listed.sortKey]: videoSort(video),
      snapshot_at: video.snapshot.at,
      video: JSON.stringify(video),
    },
    ConditionExpression: 'attribute_not_exists(pk) OR snapshot_at <= :snapshot_at',
    ExpressionAttributeValues: { ':snapshot_at': video.snapshot.at },
  };
}

/** One of each video, the last one given. */
function unique(videos: readonly VideoItem[]): readonly VideoItem[] {
  return [...new Map(videos.map((video) => [videoName(video), video])).values()];
}

/** Does conditional writes, a batch's worth at once. @returns those that were written */
async function filterInBatches(
  videos: readonly VideoItem[],
  write: (video: VideoItem) => Promise<boolean>,
): Promise<readonly VideoItem[]> {
  const written: VideoItem[] = [];
  for (let start = 0; start < videos.length; start += writeBatchSize) {
    const batch = videos.slice(start, start + writeBatchSize);
    const results = await Promise.all(batch.map(write));
    written.push(...batch.filter((_, index) => results[index]));
  }
  return written;
}

export function readRunItems(table: Table): ReadRunItems {
  return async (customerId, runId, page) => {
    const { pk, sk: prefix } = runItemKey(customerId, runId, '');
    const { rows, next } = await readSorted(table, { pk, prefix }, page);
    return { rows: rows.map(fromVideoRow), next };
  };
}

export function readCreatorVideos(table: Table, backoff: Backoff): ReadCreatorVideos {
  return async (customerId, creator, page) => {
    const list = creatorPartition(customerId, creator);
    const { rows, next } = await readListed(table, backoff, list, page);
    return { rows: rows.map(fromVideoRow), next };
  };
}

/** Strongly consistent, also about videos that the index does not list yet. */
export function isCreatorKnown(table: Table): IsCreatorKnown {
  return async (customerId, creator) => {
    const { Items = [] } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': creatorPartition(customerId, creator) },
        ConsistentRead: true,
        Limit: 1,
      }),
    );
    return Items.length > 0;
  };
}

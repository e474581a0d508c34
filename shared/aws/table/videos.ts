import { PutCommand, type PutCommandInput, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import type { VideoItem } from '#shared/contract/records/given-results.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { Creator } from '#shared/domain/creator.ts';
import type { IsCreatorKnown, ReadCreatorVideos } from '#shared/operations/customer/list-creator-videos.ts';
import type { ReadRunItems } from '#shared/operations/customer/list-run-items.ts';
import type { StoreCreatorVideos, StoreRunItems } from '#shared/operations/intake/accept-intake.ts';
import type { Backoff } from './backoff.ts';
import { putAll, writeBatchSize } from './batches.ts';
import { isRefused, orRefused } from './conditional-write.ts';
import { creatorPartition, runItemKey } from './keys.ts';
import { readListed, readSorted } from './result-pages.ts';
import {
  fromCreatorVideoItem,
  fromRunItemRow,
  toCreatorItem,
  toCreatorVideoItem,
  toRunItemRow,
  toRunItemVersion,
  videoName,
} from './video-item.ts';

/**
 * Adds items to a Run, also before the Run itself is stored. The first version of a video that arrives is the Run's
 * item for good: reading a Run again shows the same.
 */
export function storeRunItems(table: Table, backoff: Backoff): StoreRunItems {
  return async (customerId, runId, items) => {
    // Of a video that is given twice the last one would count.
    const chosen = await filterInBatches(unique(items.toReversed()), (video) =>
      chooseVersion(table, customerId, runId, video),
    );
    const rows = chosen.map((video) => toRunItemRow(customerId, runId, video));
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
  const Item = toRunItemVersion(customerId, runId, video);
  const result = await orRefused(
    table.client.send(
      new PutCommand({
        TableName: table.name,
        Item,
        ConditionExpression: 'attribute_not_exists(pk) OR version = :version',
        ExpressionAttributeValues: { ':version': Item.version },
      }),
    ),
  );
  return !isRefused(result);
}

/**
 * Adds to a creator's stored videos, or renews them. A video has one row, named by its id, that stands in the list
 * by its time: with another time it moves there. A snapshot that is older than the stored one changes nothing.
 */
export function storeCreatorVideos(table: Table): StoreCreatorVideos {
  return async (customerId, creator, videos) => {
    if (videos.length === 0) await storeCreator(table, customerId, creator);
    await filterInBatches(unique(videos), async (video) => {
      const input = putVideoInput(table.name, customerId, creator, video);
      return !isRefused(await orRefused(table.client.send(new PutCommand(input))));
    });
  };
}

/** A creator without videos is known by this item; videos make their creator known by themselves. */
async function storeCreator(table: Table, customerId: string, creator: Creator): Promise<void> {
  await table.client.send(
    new PutCommand({ TableName: table.name, Item: toCreatorItem(customerId, creator) }),
  );
}

export function putVideoInput(
  tableName: string,
  customerId: string,
  creator: Creator,
  video: VideoItem,
): PutCommandInput {
  return {
    TableName: tableName,
    Item: toCreatorVideoItem(customerId, creator, video),
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
  for (const batch of chunks(videos, writeBatchSize)) {
    const results = await Promise.all(batch.map(write));
    written.push(...batch.filter((_, index) => results[index]));
  }
  return written;
}

export function readRunItems(table: Table): ReadRunItems {
  return (customerId, runId, page) => {
    const { pk, sk: prefix } = runItemKey(customerId, runId, '');
    return readSorted(table, { pk, prefix }, page, fromRunItemRow);
  };
}

export function readCreatorVideos(table: Table, backoff: Backoff): ReadCreatorVideos {
  return (customerId, creator, page) =>
    readListed(table, backoff, creatorPartition(customerId, creator), page, fromCreatorVideoItem);
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

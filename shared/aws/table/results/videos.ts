import type { Table } from '#shared/aws/clients.ts';
import type { VideoItem } from '#shared/contract/records/given-results.ts';
import type { StoredVideo } from '#shared/contract/records/stored-results.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { Creator } from '#shared/domain/creator.ts';
import type { PageRequest, Rows } from '#shared/operations/paging.ts';
import { putAll, writeBatchSize } from '../batches.ts';
import { isRefused, putIf } from '../conditional-write.ts';
import { dependentExpiryNow, expiryNow, orExpired } from '../expiry.ts';
import { creatorPartition, runItemKey } from '../keys.ts';
import { queryPages } from '../query-pages.ts';
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
 * Adds items to a Run, even before the Run itself is stored. The first stored version of a video remains the Run's
 * item, so that every read of a Run returns the same items.
 *
 * @param mayContinue see `inTime()`
 */
export async function storeRunItems(
  table: Table,
  customerId: string,
  runId: string,
  items: readonly VideoItem[],
  mayContinue = () => true,
): Promise<void> {
  const expiry = dependentExpiryNow(table.retention);
  // `unique()` keeps the last version of a video; the first one counts.
  await inTime(unique(items.toReversed()), mayContinue, async (videos) => {
    const isChosen = await Promise.all(
      videos.map((video) => chooseVersion(table, { ...toRunItemVersion(customerId, runId, video), ...expiry })),
    );
    const chosen = videos.filter((_, index) => isChosen[index]);
    const rows = chosen.map((video) => ({ ...toRunItemRow(customerId, runId, video), ...expiry }));
    await putAll(table, rows);
  });
}

/**
 * Stores videos, 25 at a time: a message may have thousands.
 *
 * @param mayContinue called before each further 25
 * @throws Error once it returns `false`
 */
async function inTime(
  videos: readonly VideoItem[],
  mayContinue: () => boolean,
  store: (some: readonly VideoItem[]) => Promise<unknown>,
): Promise<void> {
  for (const some of chunks(videos, writeBatchSize)) {
    if (!mayContinue()) throw new Error(`Cannot store ${videos.length} videos in the time of the function`);
    await store(some);
  }
}

/** @returns whether this version of the video is the Run's item; `true` again when the same version is stored again */
async function chooseVersion(table: Table, Item: ReturnType<typeof toRunItemVersion>): Promise<boolean> {
  const isFree = orExpired('attribute_not_exists(pk) OR version = :version', table.retention);
  const result = await putIf(table, {
    Item,
    ConditionExpression: isFree.condition,
    ExpressionAttributeValues: { ':version': Item.version, ...isFree.values },
  });
  return !isRefused(result);
}

/**
 * Adds or updates the stored videos of a creator. A video has one row, named by its id and listed by its posting time;
 * a new posting time moves it within the list. A snapshot that is older than the stored one changes nothing. An empty
 * list makes the creator known.
 *
 * @param mayContinue see `inTime()`
 */
export async function storeCreatorVideos(
  table: Table,
  customerId: string,
  creator: Creator,
  videos: readonly VideoItem[],
  mayContinue = () => true,
): Promise<void> {
  if (videos.length === 0) await storeCreator(table, customerId, creator);
  const takenAt = ({ snapshot }: VideoItem) => new Date(snapshot.at).getTime();
  const newestLast = videos.toSorted((one, other) => takenAt(one) - takenAt(other));
  const store = (video: VideoItem) => {
    const isNewer = orExpired('attribute_not_exists(pk) OR snapshot_at <= :snapshot_at', table.retention);
    return putIf(table, {
      Item: { ...toCreatorVideoItem(customerId, creator, video), ...expiryNow(table.retention) },
      ConditionExpression: isNewer.condition,
      ExpressionAttributeValues: { ':snapshot_at': video.snapshot.at, ...isNewer.values },
    });
  };
  await inTime(unique(newestLast), mayContinue, (some) => Promise.all(some.map(store)));
}

/** Makes a creator without videos known; a stored video makes its creator known without this item. */
async function storeCreator(table: Table, customerId: string, creator: Creator): Promise<void> {
  const Item = { ...toCreatorItem(customerId, creator), ...expiryNow(table.retention) };
  await table.client.put({ TableName: table.name, Item });
}

/** One version of each video, the last in the list. */
function unique(videos: readonly VideoItem[]): readonly VideoItem[] {
  return [...new Map(videos.map((video) => [videoName(video), video])).values()];
}

/** Reads the items of a Run by the time they were posted, newest first; strongly consistent. */
export function readRunItems(
  table: Table,
  customerId: string,
  runId: string,
  page: PageRequest,
): Promise<Rows<StoredVideo>> {
  const { pk, sk: prefix } = runItemKey(customerId, runId, '');
  return readSorted(table, { pk, prefix }, page, fromRunItemRow);
}

/** Reads the stored videos of a creator by the time they were posted, newest first. */
export function readCreatorVideos(
  table: Table,
  customerId: string,
  creator: Creator,
  page: PageRequest,
): Promise<Rows<StoredVideo>> {
  return readListed(table, creatorPartition(customerId, creator), page, fromCreatorVideoItem);
}

/** Rows that are read at a time to find one that has not expired. */
const rowsAtOnce = 25;

/**
 * Whether a list of this creator, even an empty one, was ever stored for this customer. Strongly consistent: includes
 * videos that the index does not list yet.
 */
export async function isCreatorKnown(table: Table, customerId: string, creator: Creator): Promise<boolean> {
  const pages = queryPages(table, {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': creatorPartition(customerId, creator) },
    ConsistentRead: true,
    Limit: rowsAtOnce,
  });
  // The first rows may have expired.
  for await (const rows of pages) if (rows.length > 0) return true;
  return false;
}

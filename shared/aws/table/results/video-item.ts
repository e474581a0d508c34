import * as z from 'zod/mini';
import type { VideoItem } from '#shared/contract/records/given-results.ts';
import { type StoredVideo, storedVideo } from '#shared/contract/records/stored-results.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { Creator } from '#shared/domain/creator.ts';
import { digest } from '#shared/domain/derived-id.ts';
import { creatorKey, creatorPartition, creatorVideoKey, runItemKey, runItemVersionKey } from '../keys.ts';
import { type ReadRow, reads, storedJson } from '../stored-row.ts';

const { listed } = tableSchema.indexes;

const videoRow = z.object({ video: z.pipe(storedJson, storedVideo) });

export const fromRunItemRow: ReadRow<StoredVideo> = reads('Run item', videoRow, ({ video }) => video);
export const fromCreatorVideoItem: ReadRow<StoredVideo> = reads('Creator video', videoRow, ({ video }) => video);

/** Identifies a video: equal names mean the same video. */
export const videoName = ({ id, platform }: VideoItem): string => `${id}#${platform}`;

/** Sorts by posting time; lists read it in descending order. */
const videoSort = (video: VideoItem): string => `${video.posted_at}#${videoName(video)}`;

export function toRunItemRow(customerId: string, runId: string, video: VideoItem) {
  return { ...runItemKey(customerId, runId, videoSort(video)), video: JSON.stringify(video) };
}

/** Records which version of a video is the Run's item. */
export function toRunItemVersion(customerId: string, runId: string, video: VideoItem) {
  const version = Buffer.from(digest(JSON.stringify(video))).toString('base64');
  return { ...runItemVersionKey(customerId, runId, videoName(video)), version };
}

export function toCreatorVideoItem(customerId: string, creator: Creator, video: VideoItem) {
  return {
    ...creatorVideoKey(customerId, creator, videoName(video)),
    [listed.partitionKey]: creatorPartition(customerId, creator),
    [listed.sortKey]: videoSort(video),
    snapshot_at: video.snapshot.at,
    video: JSON.stringify(video),
  };
}

/** Makes a creator known for whom an empty list was stored. */
export function toCreatorItem(customerId: string, creator: Creator) {
  const { platform, handle } = creator;
  return { ...creatorKey(customerId, creator), platform, handle };
}

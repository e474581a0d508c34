import { type PartitionKey, partitions, tableSchema } from '#shared/contract/table-schema.ts';
import type { Activity } from '#shared/domain/activity.ts';
import type { BulkReplayKey } from '#shared/domain/bulk-replay.ts';
import { type Creator, canonicalHandle } from '#shared/domain/creator.ts';
import type { DeliveryKey } from '#shared/domain/delivery.ts';
import { deliveryPartition } from '#shared/domain/derived-id.ts';
import type { RequestKey } from '#shared/domain/request-key.ts';

/**
 * Keys of every kind of item. docs/table.md lists them with the access patterns they serve; a test compares the two.
 * Every item of a customer has the customer id in its partition key.
 */
export type ItemKey = { readonly pk: PartitionKey; readonly sk: string };

/** @param ids name the partition, after the beginning that its kind has */
function keyIn(beginning: PartitionKey, ids: readonly string[], sk: string): ItemKey {
  return { pk: `${beginning}${ids.join('#')}`, sk };
}

export const customerKey = (customerId: string) => keyIn(partitions.customer, [customerId], 'CUSTOMER');

/** Row in the list of all customers. */
export const customerListKey = (customerId: string) => keyIn(partitions.customerList, [], customerId);

/** Names the customer that has a reference of the operator, so that no two have the same one. */
export const customerReferenceKey = (reference: string) => keyIn(partitions.customerReference, [reference], 'CUSTOMER');

/** A customer's slots; sorts right before the live endpoints, so that one query reads both. */
export const slotsKey = (customerId: string) => keyIn(partitions.customer, [customerId], 'WEBHOOKS');

export const liveEndpointKey = (customerId: string, webhookId: string) =>
  keyIn(partitions.customer, [customerId], `WEBHOOKS#${webhookId}`);

/** Separate from the live endpoints, which every event reads. */
export const tombstoneKey = (customerId: string, webhookId: string) =>
  keyIn(partitions.customer, [customerId], `DELETED#${webhookId}`);

/** Row in the list of a customer's deletions by time, so that a query can skip old ones. */
export const deletionKey = (customerId: string, deletedAt: number, webhookId: string) =>
  keyIn(partitions.customer, [customerId], `DELETED_AT#${waitingTime(deletedAt)}#${webhookId}`);

/** The key of a tombstone in earlier releases. It has no row in the list of deletions. */
export const earlierTombstoneKey = (customerId: string, webhookId: string) =>
  keyIn(partitions.customer, [customerId], `TOMBSTONE#${webhookId}`);

export const apiKeyKey = (hash: string) => keyIn(partitions.apiKey, [hash], 'KEY');

/** Row in a customer's list of keys. */
export const apiKeyListKey = (customerId: string, id: string) => keyIn(partitions.customer, [customerId], `KEY#${id}`);

export const portalLinkKey = (hash: string) => keyIn(partitions.portalLink, [hash], 'PORTAL_LINK');

/**
 * Row in a customer's list of portal links. It is beside the links, not beside the endpoints, because the function that
 * creates links may write to no other kind of partition.
 */
export const portalLinkListKey = (customerId: string, id: string) => keyIn(partitions.portalLink, [customerId], id);

export const connectionKey = (id: string) => keyIn(partitions.connection, [id], 'CONNECTION');

/** Row in the list of the connections that act, or acted, for a customer. It is beside the connections. */
export const connectionListKey = (customerId: string, id: string) => keyIn(partitions.connection, [customerId], id);

export const deliveriesPartition = (customerId: string, webhookId: string, partition: number): PartitionKey =>
  `${partitions.deliveries}${customerId}#${webhookId}#${partition}`;

export const deliveryKey = (key: DeliveryKey): ItemKey => ({
  pk: deliveriesPartition(key.customerId, key.webhookId, deliveryPartition(key.id)),
  sk: key.id,
});

/** Row that names one replay of an event, so that the replays of an event to an endpoint are found. */
export const eventReplayKey = ({ customerId, webhookId, id }: DeliveryKey, eventId: string) =>
  keyIn(partitions.eventReplays, [customerId, eventId, webhookId], id);

export const bulkReplayKey = ({ customerId, webhookId, id }: BulkReplayKey) =>
  keyIn(partitions.bulkReplays, [customerId, webhookId], id);

/** Names the bulk replay of an endpoint that is running, so that there is at most one. */
export const runningReplayKey = (customerId: string, webhookId: string) =>
  keyIn(partitions.bulkReplays, [customerId, webhookId], 'RUNNING');

/** Counts the ends of some replays of a bulk replay. @param tally as the replays name it, or the id of the bulk replay */
export const tallyKey = (customerId: string, webhookId: string, tally: string) =>
  keyIn(partitions.bulkReplays, [customerId, webhookId], `TALLY#${tally}`);

export const activityKey = ({ customerId, webhookId, id }: Pick<Activity, 'customerId' | 'webhookId' | 'id'>) =>
  keyIn(partitions.activity, [customerId, webhookId], id);

export const requestRowKey = ({ customerId, digest }: Pick<RequestKey, 'customerId' | 'digest'>) =>
  keyIn(partitions.request, [customerId, digest], 'REQUEST');

export const runKey = (customerId: string, runId: string) => keyIn(partitions.run, [customerId, runId], 'RUN');

export const runItemKey = (customerId: string, runId: string, videoSort: string) =>
  keyIn(partitions.run, [customerId, runId], `ITEM#${videoSort}`);

/** Records which version of a video is the Run's item, so that another version never becomes a second item. */
export const runItemVersionKey = (customerId: string, runId: string, videoName: string) =>
  keyIn(partitions.run, [customerId, runId], `VERSION#${videoName}`);

export const runsPartition = (customerId: string, partition: number): string =>
  `${partitions.runList}${customerId}#${partition}`;

export const trackerKey = (customerId: string, trackerId: string) =>
  keyIn(partitions.tracker, [customerId, trackerId], 'TRACKER');

export const changeReportPrefix = 'REPORT#';

export const changeReportKey = (
  customerId: string,
  trackerId: string,
  report: { readonly id: string; readonly created_at: string },
) => keyIn(partitions.tracker, [customerId, trackerId], `${changeReportPrefix}${report.created_at}#${report.id}`);

/** Records the place of a Change Report, so that a second message about it never creates another report. */
export const changeReportPlaceKey = (customerId: string, reportId: string) =>
  keyIn(partitions.changeReport, [customerId, reportId], 'PLACE');

/** The partition of a creator, and the name of the list of its videos. All spellings of a handle give one partition. */
export const creatorPartition = (customerId: string, { platform, handle }: Creator): PartitionKey =>
  `${partitions.creator}${customerId}#${platform}#${escaped(canonicalHandle(handle))}`;

export const creatorKey = (customerId: string, creator: Creator): ItemKey => ({
  pk: creatorPartition(customerId, creator),
  sk: 'CREATOR',
});

export const creatorVideoKey = (customerId: string, creator: Creator, videoName: string): ItemKey => ({
  pk: creatorPartition(customerId, creator),
  sk: `VIDEO#${videoName}`,
});

/** Escapes the separator of keys. */
const escaped = (text: string): string => text.replace(/[#%]/g, encodeURIComponent);

/** The times of the last admitted requests of a credential. */
export const rateWindowKey = (credentialId: string) => keyIn(partitions.rateWindow, [credentialId], 'RATE');

/** The secret of this deployment's cursors. */
export const cursorSecretKey: ItemKey = { pk: partitions.cursorSecret, sk: 'CURSOR_SECRET' };

/** Number of shards of the `waiting` index. The sweep queries each of them; few deliveries wait, so 8 is enough. */
export const waitingShards = 8;

const { waiting } = tableSchema.indexes;

/** Attributes that put a delivery into the sparse `waiting` index. */
export function waitingAttributes(key: DeliveryKey, dueAt: number) {
  return {
    [waiting.partitionKey]: waitingPartition(waitingShard(key.id)),
    [waiting.sortKey]: `${waitingTime(dueAt)}#${key.id}`,
  };
}

export const waitingPartition = (shard: number): string => `${partitions.waiting}${shard}`;

/** Fixed width, so that it sorts as text. */
export const waitingTime = (dueAt: number): string => String(dueAt).padStart(14, '0');

function waitingShard(id: string): number {
  return id.charCodeAt(id.length - 1) % waitingShards;
}

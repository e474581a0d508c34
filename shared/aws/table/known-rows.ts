import type { Table } from '#shared/aws/clients.ts';
import type { IntakeMessage } from '#shared/contract/messages/intake-message.ts';
import type { PartitionKey } from '#shared/contract/table-schema.ts';
import type { ReadRows } from './credentials/erase-customer.ts';
import { listEndpointsSince } from './deliveries/audit-reads.ts';
import {
  activityKey,
  bulkReplayKey,
  changeReportPlaceKey,
  creatorPartition,
  customerKey,
  deliveriesPartition,
  portalLinkListKey,
  runKey,
  trackerKey,
} from './keys.ts';
import { queryPages } from './query-pages.ts';
import { ownerAttributes, rowOf } from './row-owner.ts';

/**
 * Finds the rows of a customer without reading the whole table, if these are all intake messages about it, and if it has
 * no connection and no reference, sent no `Idempotency-Key` and replayed no single delivery.
 *
 * @param messages read at each pass
 */
export async function readKnownRows(
  table: Table,
  customerId: string,
  messages: () => readonly IntakeMessage[],
): Promise<ReadRows> {
  // Before the customer is closed, which removes the rows of its endpoints.
  const endpoints = await listEndpointsSince(table, customerId, 0);
  const ofEndpoints = endpoints.flatMap(({ id, deliveryPartitions }) => [
    bulkReplayKey({ customerId, webhookId: id, id: '' }).pk,
    activityKey({ customerId, webhookId: id, id: '' }).pk,
    ...Array.from({ length: deliveryPartitions }, (_, number) => deliveriesPartition(customerId, id, number)),
  ]);
  return async (_customerId, process, onProgress) => {
    const ofCustomer = [customerKey(customerId).pk, portalLinkListKey(customerId, '').pk];
    const ofMessages = messages().flatMap(partitionsOf);
    const partitions = new Set([...ofCustomer, ...ofEndpoints, ...ofMessages]);
    let read = 0;
    for (const pk of partitions) {
      const pages = queryPages(table, {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ProjectionExpression: ownerAttributes.join(', '),
        ConsistentRead: true,
      });
      for await (const page of pages) {
        await process(page.flatMap((row) => rowOf(customerId, row) ?? []));
        read += page.length;
        onProgress(read, read);
      }
    }
  };
}

/** The partitions in which a message stores something, apart from the deliveries of its event. */
function partitionsOf(message: IntakeMessage): readonly PartitionKey[] {
  const { customer_id: customer } = message;
  switch (message.type) {
    case 'run.saved':
    case 'run.settled':
      return [runKey(customer, message.run.id).pk];
    case 'run.items_saved':
      return [runKey(customer, message.run_id).pk];
    case 'tracker.saved':
      return [trackerKey(customer, message.tracker.id).pk];
    case 'change_report.written':
      return [
        trackerKey(customer, message.tracker_id).pk,
        changeReportPlaceKey(customer, message.change_report.id).pk,
        runKey(customer, message.run.id).pk,
      ];
    case 'creator_videos.saved':
      return [creatorPartition(customer, message)];
  }
}

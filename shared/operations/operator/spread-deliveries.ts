import type { Table } from '#shared/aws/clients.ts';
import { raisePartitions } from '#shared/aws/table/endpoints/endpoints.ts';
import { maxDeliveryPartitions } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';

/**
 * Spreads the new deliveries of a busy endpoint over more partition keys; stored deliveries stay in place.
 *
 * @param partitions from 1; a number that the endpoint already has changes nothing
 * @throws RangeError for a number that is out of range
 */
export async function spreadDeliveries(
  table: Table,
  customerId: string,
  webhookId: string,
  partitions: number,
): Promise<Endpoint | null> {
  if (!Number.isInteger(partitions) || partitions < 1 || partitions > maxDeliveryPartitions) {
    throw new RangeError(`Cannot spread over ${partitions} partitions: choose from 1 to ${maxDeliveryPartitions}`);
  }
  return raisePartitions(table, customerId, webhookId, partitions);
}

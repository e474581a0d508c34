import { maxDeliveryPartitions } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';

/**
 * Raises the number of partitions, never lowers it.
 *
 * @returns the stored endpoint; `null` when the customer has no live endpoint with this id
 */
export type RaisePartitions = (
  customerId: string,
  webhookId: string,
  partitions: number,
) => Promise<Endpoint | null>;

/**
 * Spreads the new deliveries of a busy endpoint over more partition keys; stored deliveries stay in place.
 *
 * @param partitions from 1; a number that the endpoint already has changes nothing
 * @throws RangeError for a number that is out of range
 */
export function spreadDeliveries(deps: { readonly raisePartitions: RaisePartitions }) {
  return async (customerId: string, webhookId: string, partitions: number): Promise<Endpoint | null> => {
    if (!Number.isInteger(partitions) || partitions < 1 || partitions > maxDeliveryPartitions) {
      throw new RangeError(
        `Cannot spread over ${partitions} partitions: choose from 1 to ${maxDeliveryPartitions}`,
      );
    }
    return deps.raisePartitions(customerId, webhookId, partitions);
  };
}

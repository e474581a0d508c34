import type { Table } from '#shared/aws/clients.ts';
import type { Delivery, DeliveryKey } from '#shared/domain/delivery.ts';
import { isRefused, type PutInput, putIf } from '../conditional-write.ts';
import { insertion } from '../grouped-requests.ts';
import { deliveryKey, waitingAttributes } from '../keys.ts';
import { readRow } from '../stored-row.ts';
import { fromDeliveryItem, toDeliveryItem } from './delivery-item.ts';

/** Strongly consistent; `null` when the delivery does not exist. */
export function readDelivery(table: Table, key: DeliveryKey): Promise<Delivery | null> {
  return readRow(table, deliveryKey(key), fromDeliveryItem);
}

/**
 * Stores a new delivery unless its id is taken.
 *
 * @param dueAt when the sweep may queue the delivery, epoch milliseconds; `null` if its message is redelivered
 * @returns the stored delivery: the given one, or the existing one
 */
export async function storeDelivery(table: Table, delivery: Delivery, dueAt: number | null): Promise<Delivery> {
  const put = putInput(delivery, dueAt);
  if (await table.groups?.deliveries?.(deliveryKey(delivery), insertion(table.name, put.Item))) return delivery;
  const result = await putIf(table, put);
  return isRefused(result) && result.item !== null ? fromDeliveryItem(result.item) : delivery;
}

export function putInput(delivery: Delivery, dueAt: number | null): PutInput {
  return {
    Item: { ...toDeliveryItem(delivery), ...(dueAt === null ? {} : waitingAttributes(delivery, dueAt)) },
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

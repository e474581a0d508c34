import type { Table } from '#shared/aws/clients.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { ReadDelivery, StoreDelivery } from '#shared/operations/ports.ts';
import { isRefused, type PutInput, putIf } from '../conditional-write.ts';
import { deliveryKey, waitingAttributes } from '../keys.ts';
import { readRow } from '../stored-row.ts';
import { fromDeliveryItem, toDeliveryItem } from './delivery-item.ts';

export function readDelivery(table: Table): ReadDelivery {
  return (key) => readRow(table, deliveryKey(key), fromDeliveryItem);
}

export function storeDelivery(table: Table): StoreDelivery {
  return async (delivery, dueAt) => {
    const result = await putIf(table, putInput(delivery, dueAt));
    return isRefused(result) && result.item !== null ? fromDeliveryItem(result.item) : delivery;
  };
}

export function putInput(delivery: Delivery, dueAt: number | null): PutInput {
  return {
    Item: { ...toDeliveryItem(delivery), ...(dueAt === null ? {} : waitingAttributes(delivery, dueAt)) },
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

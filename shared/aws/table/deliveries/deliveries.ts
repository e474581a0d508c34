import type { Table } from '#shared/aws/clients.ts';
import type { Delivery, DeliveryKey } from '#shared/domain/delivery.ts';
import type { StoreDelivery } from '#shared/operations/ports.ts';
import { isRefused, type PutInput, putIf } from '../conditional-write.ts';
import { type GroupedWrite, type Statement, ungrouped } from '../grouped-writes.ts';
import { deliveryKey, waitingAttributes } from '../keys.ts';
import { readRow } from '../stored-row.ts';
import { fromDeliveryItem, toDeliveryItem } from './delivery-item.ts';

/** Strongly consistent. */
export function readDelivery(table: Table, key: DeliveryKey): Promise<Delivery | null> {
  return readRow(table, deliveryKey(key), fromDeliveryItem);
}

export function storeDelivery(table: Table, together: GroupedWrite = ungrouped): StoreDelivery {
  return async (delivery, dueAt) => {
    const put = putInput(delivery, dueAt);
    if ((await together(deliveryKey(delivery), insertion(table.name, put.Item))) !== null) return delivery;
    const result = await putIf(table, put);
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

/** Refused when there is an item with this key. */
function insertion(tableName: string, item: PutInput['Item'] = {}): Statement {
  const members = Object.keys(item).map((name) => `'${name}': ?`);
  return { text: `INSERT INTO "${tableName}" VALUE {${members.join(', ')}}`, values: Object.values(item) };
}

import { itemBytes } from '../../../tools/local/aws/dynamodb/item-size.ts';
import { toItem } from './in-process-table.ts';

/** Bytes of an item by DynamoDB's rules. */
export function itemSize(item: Readonly<Record<string, unknown>>): number {
  return itemBytes(toItem(item));
}

import { marshall } from '@aws-sdk/util-dynamodb';
import { itemBytes, wireItem } from '../../../tools/bench/meter/capacity.ts';

/** Bytes of an item by DynamoDB's rules. */
export function itemSize(item: Readonly<Record<string, unknown>>): number {
  return itemBytes(wireItem.parse(marshall(item)));
}

import type { AttributeValue, Item } from './attribute-value.ts';

/**
 * Bytes of an item by DynamoDB's rules: names and strings as UTF-8, a number as one byte and one for each two significant
 * digits before and after its point, null and booleans as one, a list or map as three and one for each member.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemBytes(item: Item): number {
  const known = sizes.get(item);
  if (known !== undefined) return known;
  let bytes = 0;
  for (const name in item) bytes += Buffer.byteLength(name) + valueBytes(item[name]);
  sizes.set(item, bytes);
  return bytes;
}

/** Items never change, and are counted whenever they are read. */
const sizes = new WeakMap<Item, number>();

function valueBytes(value: AttributeValue | undefined): number {
  if (value === undefined) return 0;
  if ('S' in value) return Buffer.byteLength(value.S);
  if ('N' in value) return numberBytes(value.N);
  if ('L' in value) return 3 + sum(value.L, (member) => 1 + valueBytes(member));
  if ('M' in value) return 3 + Object.keys(value.M).length + itemBytes(value.M);
  return 'SS' in value ? sum(value.SS, Buffer.byteLength) : 1;
}

function numberBytes(written: string): number {
  const [whole = '', fraction = ''] = written.replace('-', '').split('.');
  const isBelowOne = whole === '0';
  const before = isBelowOne ? '' : fraction === '' ? whole.replace(/0+$/, '') : whole;
  const after = isBelowOne ? fraction.replace(/^0+/, '') : fraction;
  return 1 + Math.ceil(before.length / 2) + Math.ceil(after.length / 2) + (written.startsWith('-') ? 1 : 0);
}

function sum<T>(values: readonly T[], bytesOf: (value: T) => number): number {
  return values.reduce((total, value) => total + bytesOf(value), 0);
}

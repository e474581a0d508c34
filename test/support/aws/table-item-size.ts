import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';

/**
 * Bytes of an item by DynamoDB's rules: names and strings as UTF-8, a number as a byte for each two
 * significant digits and one more, null and booleans as one, a list or map as three and one for each member.
 */
export function itemSize(item: Readonly<Record<string, unknown>>): number {
  return membersSize(marshall(item));
}

function membersSize(members: Readonly<Record<string, AttributeValue>>): number {
  return Object.entries(members).reduce((sum, [name, value]) => sum + bytes(name) + valueSize(value), 0);
}

function valueSize(value: AttributeValue): number {
  if (value.S !== undefined) return bytes(value.S);
  if (value.N !== undefined) return numberSize(value.N);
  if (value.SS !== undefined) return value.SS.reduce((sum, text) => sum + bytes(text), 0);
  if (value.L !== undefined) return value.L.reduce((sum, member) => sum + 1 + valueSize(member), 3);
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + membersSize(value.M);
  return 1;
}

function numberSize(text: string): number {
  const significant = text.replace(/^-/, '').replace('.', '').replace(/^0+/, '').replace(/0+$/, '');
  return Math.ceil(significant.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}

const bytes = (text: string): number => Buffer.byteLength(text);

import { z } from 'zod';

const text = z.string().optional();
const texts = z.array(z.string()).optional();

/** An attribute as DynamoDB's protocol writes it: one member, named after the type. */
const wireValue = z.looseObject({
  S: text,
  N: text,
  B: text,
  SS: texts,
  NS: texts,
  get L() {
    return z.array(wireValue).optional();
  },
  get M() {
    return wireItem.optional();
  },
});

type WireValue = z.infer<typeof wireValue>;

export const wireItem: z.ZodType<Readonly<Record<string, WireValue>>> = z.record(z.string(), wireValue);

export type WireItem = z.infer<typeof wireItem>;

/**
 * Bytes of an item by DynamoDB's rules: names and strings as UTF-8, a number as a byte for each two significant digits
 * and one more, null and booleans as one, a list or map as three and one for each member.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemBytes(item: WireItem): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + utf8Bytes(name) + valueBytes(value), 0);
}

function valueBytes({ S, N, B, SS, NS, L, M }: WireValue): number {
  if (S !== undefined) return utf8Bytes(S);
  if (N !== undefined) return numberBytes(N);
  if (B !== undefined) return Buffer.byteLength(B, 'base64');
  if (SS !== undefined) return sum(SS.map(utf8Bytes));
  if (NS !== undefined) return sum(NS.map(numberBytes));
  if (L !== undefined) return 3 + sum(L.map((member) => 1 + valueBytes(member)));
  if (M !== undefined) return 3 + Object.keys(M).length + itemBytes(M);
  return 1;
}

function numberBytes(written: string): number {
  const significant = written.replace(/^-/, '').replace('.', '').replace(/^0+/, '').replace(/0+$/, '');
  return Math.ceil(significant.length / 2) + 1 + (written.startsWith('-') ? 1 : 0);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const utf8Bytes = (written: string): number => Buffer.byteLength(written);

import { z } from 'zod';
import {
  type AttributeValue,
  areEqual,
  type Item,
  inByteOrder,
  pick,
  typeOf,
  validationError,
} from './attribute-value.ts';
import { itemBytes } from './item-size.ts';
import { type Place, type RowStore, SortedRows } from './sorted-rows.ts';

const keySchema = z
  .tuple([
    z.object({ AttributeName: z.string(), KeyType: z.literal('HASH') }),
    z.object({ AttributeName: z.string(), KeyType: z.literal('RANGE') }),
  ])
  .transform(([partition, sort]) => [partition.AttributeName, sort.AttributeName] as const);

/** The input of CreateTable, as far as it decides what a table does: two keys of texts, and indexes of keys. */
export const tableInput = z.object({
  TableName: z.string(),
  KeySchema: keySchema,
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.literal('S') })),
  GlobalSecondaryIndexes: z
    .array(
      z.object({
        IndexName: z.string(),
        KeySchema: keySchema,
        Projection: z.object({ ProjectionType: z.literal('KEYS_ONLY') }),
      }),
    )
    .default([]),
});

/** Names of the attributes with the partition key and the sort key. */
type KeyNames = readonly [string, string];

/** `rows` of an index are the keys that it projects. */
export type Rows = { readonly names: KeyNames; readonly rows: SortedRows };

/** Units that one write consumes, of the table and of each index that it changes. */
export type WriteUnits = { readonly table: number; readonly indexes: Readonly<Record<string, number>> };

const maxKeyBytes = [2048, 1024] as const;
const unitBytes = 1024;

/** A table with its indexes. */
export class StoredTable implements Rows {
  readonly name: string;
  readonly names: KeyNames;
  readonly rows: SortedRows;
  readonly #indexes: ReadonlyMap<string, Rows>;
  readonly #now: () => number;

  /** @param storeOf where the rows of the table, or of an index, are kept */
  constructor(
    input: z.output<typeof tableInput>,
    options: {
      readonly now: () => number;
      readonly keepsVersions: boolean;
      readonly storeOf: (index?: string) => RowStore | undefined;
    },
  ) {
    const { now, keepsVersions, storeOf } = options;
    this.name = input.TableName;
    this.names = input.KeySchema;
    this.rows = new SortedRows(keepsVersions, storeOf());
    this.#now = now;
    this.#indexes = new Map(
      input.GlobalSecondaryIndexes.map(({ IndexName, KeySchema }) => [
        IndexName,
        { names: KeySchema, rows: new SortedRows(keepsVersions, storeOf(IndexName)) },
      ]),
    );
  }

  index(name: string): Rows {
    const index = this.#indexes.get(name);
    if (index === undefined) throw validationError(`The table does not have the specified index: ${name}`);
    return index;
  }

  /** The place of a complete key, or of the item that has it. @throws AwsError for a key that DynamoDB refuses */
  place(item: Item): Place {
    const [partition = '', sort = ''] = this.names.map((name, position) => {
      const value = item[name];
      if (value === undefined)
        throw validationError(`One or more parameter values were invalid: Missing the key ${name} in the item`);
      return keyText(name, value, position);
    });
    return { partition, sort, rest: '' };
  }

  /** The same for what a request calls the key of an item. */
  keyPlace(key: Item): Place {
    if (Object.keys(key).length !== this.names.length || this.names.some((name) => key[name] === undefined))
      throw validationError('The provided key element does not match the schema');
    return this.place(key);
  }

  keyOf(item: Item): Item {
    return pick(item, this.names);
  }

  /** Refuses an item that an index cannot hold. */
  checkIndexKeys(item: Item): void {
    for (const [index, { names }] of this.#indexes)
      for (const [position, name] of names.entries()) {
        const value = item[name];
        if (value !== undefined) keyText(name, value, position, index);
      }
  }

  set(place: Place, before: Item | undefined, after: Item | undefined): void {
    const now = this.#now();
    this.rows.set(place, after, now);
    for (const { names, rows } of this.#indexes.values()) {
      const [old, next] = [before, after].map((item) => item && this.#entry(item, names));
      if (old && next && isSameItem(old, next)) continue;
      if (old) rows.set(this.indexPlace(names, old), undefined, now);
      if (next) rows.set(this.indexPlace(names, next), next, now);
    }
  }

  /** The place of an entry in an index. */
  indexPlace(names: KeyNames, entry: Item): Place {
    const [partition = '', sort = ''] = names.map((name, position) => keyText(name, entry[name], position));
    const own = this.place(entry);
    return { partition, sort, rest: `${own.partition}\0${own.sort}` };
  }

  writeUnits(before: Item | undefined, after: Item | undefined): WriteUnits {
    const indexes: Record<string, number> = {};
    for (const [name, { names }] of this.#indexes) {
      const [old, next] = [before, after].map((item) => item && this.#entry(item, names));
      if (old && next && isSameItem(old, next)) continue;
      const units = (old ? unitsFor(itemBytes(old)) : 0) + (next ? unitsFor(itemBytes(next)) : 0);
      if (units > 0) indexes[name] = units;
    }
    return { table: unitsFor(Math.max(itemBytes(before ?? {}), itemBytes(after ?? {}))), indexes };
  }

  /** What an index holds of an item; `undefined` for an item without its keys. */
  #entry(item: Item, names: KeyNames): Item | undefined {
    return names.every((name) => item[name] !== undefined) ? pick(item, [...this.names, ...names]) : undefined;
  }
}

const unitsFor = (bytes: number): number => Math.max(1, Math.ceil(bytes / unitBytes));

/**
 * The value of a key, in the order of its bytes.
 *
 * @param position 0 for a partition key, 1 for a sort key
 * @param index whose key it is. Default: that of the table
 * @throws AwsError for a value that no key has, whether it is stored or asked for
 */
export function keyText(name: string, value: AttributeValue | undefined, position: number, index?: string): string {
  const [what, where] = index === undefined ? ['key', ''] : ['Index Key', ` IndexName: ${index}`];
  if (value === undefined || !('S' in value))
    throw validationError(
      `One or more parameter values were invalid: Type mismatch for ${what} ${name} Expected: S Actual: ${value === undefined ? 'nothing' : typeOf(value)}${where}`,
    );
  if (value.S === '')
    throw validationError(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}${where}`,
    );
  const limit = maxKeyBytes[position] ?? 0;
  if (Buffer.byteLength(value.S) > limit)
    throw validationError(
      `One or more parameter values were invalid: Size of ${what} ${name} has exceeded the maximum size limit of ${limit} bytes${where}`,
    );
  return inByteOrder(value.S);
}

const isSameItem = (one: Item, other: Item): boolean => areEqual({ M: one }, { M: other });

import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import type { RequestOptions } from '#shared/aws/kept-connections.ts';
import { readableJson } from '#shared/domain/readable-json.ts';
import type { ItemKey } from './keys.ts';

/**
 * Reads one kind of row. The table also holds rows of other releases, so a reader requires only the attributes that it
 * uses. `reads` makes a reader; `readAll` skips rows that cannot be read.
 */
export type ReadRow<T> = (row: unknown) => T;

/** A row that this release cannot read. The error names the row and the fault, never a value. */
export class UnreadableRow extends Error {
  override readonly name = 'UnreadableRow';
  readonly kind: string;
  readonly key: { readonly pk: string; readonly sk: string };
  readonly fault: string;

  constructor(kind: string, row: unknown, fault: string) {
    const key = keyOf(row);
    super(`Cannot read the ${kind} at ${key.pk} ${key.sk}: ${fault}`);
    this.kind = kind;
    this.key = key;
    this.fault = fault;
  }
}

/**
 * Makes the reader of one kind of row. The reader throws `UnreadableRow` for a row that the schema refuses.
 *
 * @param kind its name in docs/table.md
 * @param toRecord must not throw for any row that the schema accepts
 */
export function reads<S extends z.ZodMiniType, T>(
  kind: string,
  schema: S,
  toRecord: (item: z.output<S>) => T,
): ReadRow<T> {
  return (row) => {
    const parsed = schema.safeParse(row);
    if (!parsed.success) throw new UnreadableRow(kind, row, faultsIn(parsed.error));
    return toRecord(parsed.data);
  };
}

export type Attributes = Readonly<Record<string, unknown>>;

/**
 * One kind of row that stores the members of a record, each in the attribute of the same name in snake case. A member
 * that is `null` or absent has no attribute.
 *
 * @param kind its name in docs/table.md
 */
export function storedRecord<S extends Readonly<Record<string, z.ZodMiniType>>>(kind: string, shape: S) {
  const schema = z.object(shape);
  const names = Object.keys(shape).map((member) => [member, attributeOf(member)] as const);
  const read = (row: unknown): z.output<typeof schema> => {
    const item: Attributes = { ...Object(row) };
    const members: Record<string, unknown> = {};
    for (const [member, attribute] of names) members[member] = item[attribute];
    const parsed = schema.safeParse(members);
    if (parsed.success) return parsed.data;
    throw new UnreadableRow(kind, row, faultsIn(parsed.error, attributeOf));
  };
  const attributes = (record: { readonly [Member in keyof S]?: unknown }): Attributes => {
    const stored: Record<string, unknown> = {};
    for (const [member, attribute] of names) {
      if (record[member] !== null && record[member] !== undefined) stored[attribute] = record[member];
    }
    return stored;
  };
  return { read, attributes };
}

/** The value of an attribute; `null` when it is absent. */
export const orNull = <S extends z.ZodMiniType>(schema: S) =>
  z.pipe(
    z.optional(schema),
    z.transform((value) => value ?? null),
  );

function attributeOf(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Reads one row, strongly consistent. @returns `null` when there is none */
export async function readRow<T>(
  table: Table,
  Key: ItemKey,
  read: ReadRow<T>,
  options?: RequestOptions,
): Promise<T | null> {
  const { Item } = await table.client.get({ TableName: table.name, Key, ConsistentRead: true }, options);
  return Item === undefined ? null : read(Item);
}

/** Reads the rows of a list. Reports and skips a row that cannot be read, so that it does not affect the others. */
export function readAll<T>(table: Pick<Table, 'report'>, rows: readonly unknown[], read: ReadRow<T>): readonly T[] {
  const records: T[] = [];
  for (const row of rows) {
    try {
      records.push(read(row));
    } catch (error) {
      if (!(error instanceof UnreadableRow)) throw error;
      table.report({ name: 'row.unreadable', kind: error.kind, key: error.key, fault: error.fault });
    }
  }
  return records;
}

/** Epoch milliseconds within the range of a `Date`. */
export const time = z.number().check(z.minimum(-8.64e15), z.maximum(8.64e15));

/**
 * Documents of the Run engine are stored as JSON text: DynamoDB maps refuse numbers and depths that JSON allows, and do
 * not keep the order of members. Releases up to 0.2.0 stored texts that not every parser reads.
 */
export const storedJson = z.pipe(
  z.string(),
  z.transform((text, context): unknown => {
    try {
      return JSON.parse(readableJson(text));
    } catch {
      context.issues.push({ code: 'custom', message: 'must be JSON', input: text });
      return z.NEVER;
    }
  }),
);

const keySchema = z.object({ pk: z.catch(z.string(), '?'), sk: z.catch(z.string(), '?') });

function keyOf(row: unknown) {
  return keySchema.safeParse(row).data ?? { pk: '?', sk: '?' };
}

function faultsIn({ issues }: z.core.$ZodError, nameOf = (member: string) => member): string {
  return issues
    .slice(0, 5)
    .map(({ path: [first = 'row', ...inside], message }) => {
      return `${[nameOf(String(first)), ...inside.map(String)].join('.')}: ${message}`;
    })
    .join('; ');
}

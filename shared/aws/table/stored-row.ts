import * as z from 'zod';
import type { Table } from '#shared/aws/clients.ts';

/**
 * How every kind of row is read. What other releases wrote is here too, so a row is asked for no more than what is
 * made of it: `reads` gives the one way to do that, and `readAll` leaves out those that cannot be read.
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
 * Makes the reader of one kind of row.
 *
 * @param kind as docs/table.md names it
 * @param toRecord must not fail for anything that the schema lets through
 */
export function reads<S extends z.ZodType, T>(
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

/** Reads rows of a list. One that cannot be read is reported and left out, so that it costs itself alone. */
export function readAll<T>(
  table: Pick<Table, 'report'>,
  rows: readonly unknown[],
  read: ReadRow<T>,
): readonly T[] {
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

/** A time that can be shown, epoch milliseconds: others are no dates. */
export const time = z.number().min(-8.64e15).max(8.64e15);

/**
 * Documents of the Run engine are stored as JSON text: DynamoDB's own maps would refuse numbers and depths that
 * JSON allows, and would not give the members back in order.
 */
export const storedJson = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.issues.push({ code: 'custom', message: 'must be JSON', input: text });
    return z.NEVER;
  }
});

const keySchema = z.object({ pk: z.string().catch('?'), sk: z.string().catch('?') });

function keyOf(row: unknown) {
  return keySchema.safeParse(row).data ?? { pk: '?', sk: '?' };
}

function faultsIn({ issues }: z.ZodError): string {
  return issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.map(String).join('.') || 'row'}: ${message}`)
    .join('; ');
}

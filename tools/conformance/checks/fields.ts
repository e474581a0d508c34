import { type Check, checkOf, type Evidence } from '../harness/check.ts';
import { expectThat, show } from '../harness/expect.ts';
import { at, isRecord } from '../harness/json.ts';

/** One field of a record. */
export type Field = {
  /** Dotted path of the member in the record. */
  readonly name: string;
  /** Description of a valid value. */
  readonly wanted: string;
  readonly test: (value: unknown) => boolean;
};

const timestampForm = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

type Test = Field['test'];

/** What the value of a field may be. */
export const is = {
  text: (value: unknown): boolean => typeof value === 'string',
  integer: (value: unknown): boolean => Number.isInteger(value),
  number: (value: unknown): boolean => Number.isFinite(value),
  boolean: (value: unknown): boolean => typeof value === 'boolean',
  absoluteUrl: (value: unknown): boolean => typeof value === 'string' && URL.canParse(value),
  timestamp: (value: unknown): boolean =>
    typeof value === 'string' && timestampForm.test(value) && !Number.isNaN(Date.parse(value)),
  id:
    (prefix: string): Test =>
    (value) =>
      typeof value === 'string' && value.startsWith(prefix) && value.length > prefix.length,
  oneOf:
    (...values: readonly string[]): Test =>
    (value) =>
      typeof value === 'string' && values.includes(value),
  orNull:
    (test: Test): Test =>
    (value) =>
      value === null || test(value),
};

/** The types of events, sorted. */
export const eventTypes = ['run.completed', 'tracker.changed', 'webhook.test'] as const;

export const field = (name: string, wanted: string, test: Test): Field => ({ name, wanted, test });

/** Fields of the same kind. */
export const fields = (names: readonly string[], wanted: string, test: Test): readonly Field[] =>
  names.map((name) => field(name, wanted, test));

/** One check per field: every record has the field, with a valid value. */
export function fieldChecks(
  kind: string,
  rows: readonly Field[],
  records: Evidence<readonly unknown[]>,
): readonly Check[] {
  return rows.map((row) =>
    checkOf(`${kind} has ${row.name}: ${row.wanted}`, records, (found) => expectField(row, found)),
  );
}

function expectField({ name, wanted, test }: Field, records: readonly unknown[]): void {
  expectThat(records.length > 0, 'a record to look at', 'none');
  for (const record of records) {
    expectThat(isRecord(record), 'a record that is an object', record);
    const value = at(record, ...name.split('.'));
    expectThat(value !== undefined && test(value), `${name}: ${wanted}`, `${show(value)} in ${show(record)}`);
  }
}

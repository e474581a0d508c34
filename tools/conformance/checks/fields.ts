import { type Check, checkOf, type Evidence } from '../harness/check.ts';
import { expectThat, show } from '../harness/expect.ts';
import { at, isRecord } from '../harness/json.ts';

/** One field of a record. */
export type Field = {
  /** Dotted path of the member in the record. */
  readonly name: string;
  /** Description of a valid value. */
  readonly is: string;
  readonly test: (value: unknown) => boolean;
};

const timestampForm = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

export function isTimestamp(value: unknown): boolean {
  return typeof value === 'string' && timestampForm.test(value) && !Number.isNaN(Date.parse(value));
}

export const isText = (value: unknown): boolean => typeof value === 'string';
export const isInteger = (value: unknown): boolean => Number.isInteger(value);
export const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
export const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
export const isAbsoluteUrl = (value: unknown): boolean => typeof value === 'string' && URL.canParse(value);

export const orNull =
  (test: Field['test']): Field['test'] =>
  (value) =>
    value === null || test(value);

export const isId =
  (prefix: string): Field['test'] =>
  (value) =>
    typeof value === 'string' && value.startsWith(prefix) && value.length > prefix.length;

export const isOneOf =
  (...values: readonly string[]): Field['test'] =>
  (value) =>
    typeof value === 'string' && values.includes(value);

/** The types of events, sorted. */
export const eventTypes = ['run.completed', 'tracker.changed', 'webhook.test'] as const;

export const field = (name: string, is: string, test: Field['test']): Field => ({ name, is, test });

/** One check per field: every record has the field, with a valid value. */
export function fieldChecks(
  kind: string,
  fields: readonly Field[],
  records: Evidence<readonly unknown[]>,
): readonly Check[] {
  return fields.map((row) =>
    checkOf(`${kind} has ${row.name}: ${row.is}`, records, (found) => expectField(row, found)),
  );
}

function expectField({ name, is, test }: Field, records: readonly unknown[]): void {
  expectThat(records.length > 0, 'a record to look at', 'none');
  for (const record of records) {
    expectThat(isRecord(record), 'a record that is an object', record);
    const value = at(record, ...name.split('.'));
    expectThat(value !== undefined && test(value), `${name}: ${is}`, `${show(value)} in ${show(record)}`);
  }
}

import { isDeepStrictEqual } from 'node:util';

/** A difference between the API's promise and the service's response. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
  readonly expected: string;
  readonly actual: string;

  constructor(expected: string, got: string) {
    super(`expected ${expected}, got ${got}`);
    this.expected = expected;
    this.actual = got;
  }
}

/** Formats a value for a failure report. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

export function expectThat(holds: boolean, expected: string, got: unknown): asserts holds {
  if (!holds) throw new Mismatch(expected, typeof got === 'string' ? got : show(got));
}

/** The order of members does not count. */
export function expectEqual(what: string, got: unknown, wanted: unknown): void {
  expectThat(isDeepStrictEqual(got, wanted), `${what} ${show(wanted)}`, `${what} ${show(got)}`);
}

/** A difference between the API's promise and the service's response. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
  readonly expected: string;
  readonly got: string;

  constructor(expected: string, got: string) {
    super(`expected ${expected}, got ${got}`);
    this.expected = expected;
    this.got = got;
  }
}

const shownLength = 300;

/** Formats a value for a failure report. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value));
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}

export function expectThat(holds: boolean, expected: string, got: unknown): asserts holds {
  if (!holds) throw new Mismatch(expected, typeof got === 'string' ? got : show(got));
}

export function expectEqual(what: string, got: unknown, wanted: unknown): void {
  expectThat(
    JSON.stringify(got) === JSON.stringify(wanted),
    `${what} ${show(wanted)}`,
    `${what} ${show(got)}`,
  );
}

/** Whether the values never increase. */
export function isSortedDescending(values: readonly string[]): boolean {
  return values.every((value, index) => index === 0 || (values[index - 1] ?? '') >= value);
}
